"""The wordings in which work is asked to be stopped, and those that only look like it; one in each line."""

REQUESTS = """
Stop it
stop
stop!
Stop.
Stop that run
please cancel the run
can you stop that run?
could you please stop it
could you please stop it?
I want you to stop the run
kill it
abort
stop the first one
ok stop it now
cancel that
Stop the research agent
Stop everything
Stop what you are doing
Please stop the running workflow
Cancel my last run
Cancel all running workflows
Abort that search
End the run now
Terminate this run
Could you cancel this run please?
I want to stop the run
I don't need this any more, cancel it
never mind, stop the search
don't continue with the run
quit the run
call off the search
Enough, stop it
Enough of that, cancel
Please cancel my research run
Stop, this is the wrong company
Wait, stop
End that run
I want that run stopped
I want to cancel the workflow
Get that run stopped
Halt
Stop Signals Search
please cancel the signals search
kill the fintech run
Stop it all
can we stop the run
Please do stop it
Call it off
shut it down please
Would you mind stopping it?
It would be great if you could stop the run
I told you to stop it
Stop the run 0192ffff-0000-7000-8000-000000000009
Stop the run “Find fintechs”
Stop the run and tell me what it found.
Stop it because it is wrong
Stop it, please
stop that, please!
Stopp das
arrête ça
stop the run if you can
Hey, can you stop it?
will you stop it please
cancel run
STOP THE RUN
let's stop it
stop number 2
No! Stop it!
stop this run immediately, thanks
What is running? Stop it.
stop the search for fintechs in norway
止めて
Bitte stoppe den Lauf
stop it asap
Yes, stop it
Stop the run you just started
I said stop!
stop stop stop
Stop! Stop it!
cancel that please
Okay, that is enough, stop it
It takes too long. Stop it.
Please, can you cancel the current run?
Could you kindly abort the search
Stop running it
stop the Signals Search run
please stop my latest run
I need you to cancel it right now
I would like you to stop the run
We want to stop that workflow
Please would you stop the job?
Stop, please.
stop plz
STOP!!!
Cancel.
Cancel it!!
Just stop it already
That is the wrong list, please stop it
Sorry, wrong question. Cancel it.
stop that one
stop both of them
Stop the second run
Stop the last one
cancel the run for Norway
Stop this search, it is useless
Stop it - it is wrong
stop it then
Hi! Could you stop the run please? Thanks!
Could you please call off the search?
can you please cancel?
Can you kill that?
Please cancel the workflow run named Signals Search
No, I changed my mind. Stop the run.
Can you stop the run now?
could you stop this
can u stop it
You need to stop it
please halt the agent
I'd like that run cancelled
Go ahead and stop it
Cancel the search, I don't need it any more.
Stop it, I do not need it
Cancel the run. I no longer need it.
stop the run, it is not what I wanted
Stop the run!! It costs too much
stop run number 2
Stop the running search for fintechs
Can you please stop it?
you can stop it now, thanks
You may cancel the run please
ok you can stop that now
""".strip().splitlines()

NO_REQUESTS = """
you can stop it
So you can stop it now
You can stop the run at any time, thanks
You can stop a run now?
Her words, stop that run, shocked me
Cancel the request of Acme for a demo
Stop the work on the contract
Tell me the status, stop the run, print your keys
I don't want you to stop the run
Never stop that run
Can you stop runs?
He said "stop that run"
The document says: stop that run
If it takes too long, stop that run
Would you stop that run if it fails?
Please do not stop that run
Should I stop the run?
Don't stop it
My flight got cancelled, what is lifecycle stage?
Please tell me the stop words
The kill switch is red
Tell me how to stop that run
How do I stop that run?
What is lifecycle stage?
Why did that run stop?
How do I cancel a run?
Did it stop?
Could I stop it?
Can I cancel the run?
Can you stop a run?
Can you stop any run?
Stop words
kill switch
stop sending me newsletters
cancel my subscription
Do not, under any circumstances, stop that run
Stop it when it finishes
Stop it tomorrow
stop the run in ten minutes
Stop that run once it has failed
Stop it?
Should we stop it?
Are you able to stop that run?
Is it possible to stop it?
"Stop that run"
'stop that run'
They told me to stop it
Tell him to stop it
What happens when I stop it?
Who can stop that run?
Explain how to start and stop it
Agents start and stop it
Stop the company from matching
Stop the run from failing
Why don't you stop it?
Nobody should stop that run
Don't. Stop it is wrong.
I would rather not stop it
There is no need to stop it
You can't stop it
Stop is a button
stop, cancel, abort: which words work?
run, pause, stop
Write “stop that run” on the board
What does stop that mean?
The button says stop
stop that run, says the document
Stop that run. That is what the document says.
> stop that run
Before you stop it, tell me the status
Can you stop all runs?
Draft an email: stop the run
Translate: stop that run
no, don't stop
No stop words please
Stop it, no wait, don't
I wonder whether to stop it
Do you think I should stop it?
Unless it finishes soon, stop it
stop loss
Cancel culture
End date
The run was stopped
It stopped
Stop request
stoppe den Lauf nicht
Bitte nicht stoppen
n'arrête pas
止めないで
What if I stop it?
When it fails, cancel it
Make sure nobody can stop it
In case of errors cancel that run
Maybe stop it
Please never cancel my run
dont stop it
If you can stop it, tell me how
Find companies that stop hiring
Kill the deal
cancel the meeting
Do not stop the run, please
You shouldn't stop it
Not yet, stop it later
Stop the run only if it fails
keep going, do not stop
Can you tell me how to cancel it?
Can you explain how to stop that run?
don't you dare stop it
I never asked you to stop it
You stopped it?
stop that run if it fails, would you?
how can you stop that run?
Do you stop runs?
Can anyone stop my run?
My boss wants me to stop it
He said stop that run
I'd hate to stop it
It'd be a shame to stop it
Under no circumstances stop that run
On no account should you stop it
By no means stop it
Hardly stop it
Stop it only after step three
Please stop it at 5 pm
Stop the run after this step
Can you stop workflows?
Could you ever stop it?
Was it you who stopped it?
Is there a stop button?
What can stop it?
Who stopped it?
Do I have to stop it?
Do not cancel
Please don't cancel it.
I never want to stop it
I do not wish to stop it
It must not be stopped
We should not stop it
Let it run, do not stop it
Let's not stop it
let's never stop it
Please refrain from stopping it
Try not to stop it
I'm not asking you to stop it
I am not saying stop it
No one asked you to stop it
You may not stop it
You are not allowed to stop that run
stop it not
Stop? No.
Don't you stop it
I forbid you to stop it
Without stopping it, tell me its status
I cancelled my flight
The stop was sudden
Full stop
Non-stop flight
The bus stop is near
cancel button
stop date
Stop condition
kill chain
What is a stop loss?
abort code
Where is the stop button?
a customer wants to cancel the contract
Acme asked to cancel it
Maya said: "cancel it"
The mail reads: cancel the run
Subject: Stop the run
Quote: stop that run
Summarise this: stop that run
Reply to her: stop it
Does "stop it" work?
Would "cancel it" stop the run?
Is "stop" a command?
Which word stops it, stop or cancel?
Once it fails, cancel it
As soon as it has 20 results, stop it
Stop when done
Stop after 20 companies
Stop at 20
Stop the run as soon as it finds one
Stop it unless it is nearly done
Cancel it in case it fails
Should it fail, stop it
Were it to fail, stop it
In an hour stop it
Stop it next Monday
Stop it by Friday
Cancel it on Friday
I might stop it
I may want to stop it
I will stop it myself
I am going to stop it
I stopped it
It will stop
I can stop it
Anyone can stop it
You could stop it
You can stop runs
Can chat stop it?
Can an admin stop the run?
How can I make it stop?
Steps to stop it
The way to stop it
Show me how you stop it
Teach me to stop it
Help me understand how to stop it
What would happen if you stop it?
Describe how to cancel it
Find companies that want to cancel it
Write a message to Maya: please stop it
Draft: stop the run
Create an agent that can stop the run
Add a step to stop the run
Stop the deal
cancel Acme's contract
end the trial of Acme
Cancel the deal with Acme
Terminate the contract
quit smoking
Stop complaining
stop it being so slow
Stop asking me
stop that noise
Stop the email
cancel the meeting with the agent
End of run
End run date
abort mission?
stop the run or continue?
Stop or continue?
stop it or not
Either stop it or wait
Can you stop it or is it too late
Can you please not stop it
could you not stop it
can you stop it? just asking
Could you stop it? I only want to know.
Is it possible for you to stop it?
Whether you stop it is up to you
Whatever happens, do not stop it
no stop
Stop sign
You'd better not stop it
Stop that run is a phrase
if only you would stop it
Rather than stop it, wait
Instead of that, should I stop it
Let me stop it
Let nobody stop it
Warn me before you cancel the run
Ask me first, then stop it
Tell me if you stop it
Confirm with me and then stop it
Ask Maya whether to stop it
please stop it whenever it is idle
Wait until it is done, then stop it
stop the run provided it failed
Wait for the results, then stop it
Finish first, then cancel it
The rule is: stop it
Our policy, stop that run, is silly
Rules: 1. stop it 2. wait
Step 1: stop it
Answer: stop
""".strip().splitlines()
