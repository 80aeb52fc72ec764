"""What is around the panes: the header, the lines below, the heads of groups, the search field."""
