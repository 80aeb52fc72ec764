"""Workers: processes, on any number of machines, that run the graphs of one store on PostgreSQL.

What is to be done is a job of procrastinate ("advance this run"), in the store's own database. ``worker``
takes jobs and supervises; ``hand`` is the process in which nodes run; ``queue`` is what everybody else asks:
whether workers drive a run, which one is at it, and to hand one over.
"""
