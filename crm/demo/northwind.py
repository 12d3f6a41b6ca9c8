"""Northwind sells revenue software to growing SaaS and fintech companies."""

from crm.demo.teller import industries_of
from crm.demo.world import Colleague, Profile, Theme, World
from crm.models import Activity, Company, Signal

STAGE = Company.LifecycleStage
KIND = Activity.Kind
SIGNAL = Signal.Kind

COMPANIES = """
Lumenpay | Payments | United Kingdom | 51-200
Acme Robotics | Industrial automation | Germany | 201-500
Brightledger | Accounting software | Ireland | 51-200
Cobalt Analytics | Business intelligence | Netherlands | 51-200
Driftwood Labs | Developer tools | United Kingdom | 11-50
Evergreen Billing | Subscription billing | Sweden | 201-500
Fathom Health | Health software | France | 51-200
Glasswing Security | Cyber security | Estonia | 51-200
Harborstack | Cloud infrastructure | Norway | 201-500
Inkline | Contract software | United Kingdom | 11-50
Juniper Freight | Logistics software | Denmark | 51-200
Kitehill | Marketing software | Spain | 51-200
Lattice Works | HR software | Germany | 201-500
Mosaic Returns | E-commerce software | Netherlands | 11-50
Nimbus Desk | Customer support software | Poland | 51-200
Orchard Pay | Payroll software | Ireland | 51-200
Pinecone Retail | Retail analytics | France | 51-200
Quillfeed | Content software | Portugal | 11-50
Redshift Mobility | Fleet software | Germany | 201-500
Saltmarsh Energy | Energy software | United Kingdom | 51-200
Tidewater Insurance Tech | Insurance software | Switzerland | 51-200
Umber Studio | Design software | Denmark | 11-50
Vantage Learning | Learning software | Finland | 51-200
Willowbank Fintech | Lending software | United Kingdom | 201-500
Xylo Data | Data integration | Germany | 51-200
Yarrow Legal | Legal software | Belgium | 11-50
Zephyr Travel Tech | Travel software | Spain | 201-500
Alder & Finch | Expense management | United Kingdom | 51-200
Basalt Identity | Identity software | Estonia | 11-50
Clearwater CRM | CRM consulting | Norway | 11-50
Deepfield Sensors | Industrial IoT | Finland | 201-500
Ember Commerce | E-commerce software | Italy | 51-200
Foxglove AI | Machine learning | United Kingdom | 11-50
Granite Procurement | Procurement software | Austria | 51-200
Hollow Oak Games | Games | Sweden | 51-200
Isobar Weather | Climate data | Iceland | 11-50
Jetty Marine | Maritime software | Norway | 51-200
Kestrel Compliance | Compliance software | Luxembourg | 51-200
Larkspur Bio | Laboratory software | Switzerland | 201-500
Meadow Benefits | Employee benefits | United Kingdom | 51-200
Northgate Telecom | Telecommunications | Denmark | 1001-5000
Opaline Video | Video software | France | 11-50
Palisade Cloud | Cloud infrastructure | Germany | 501-1000
Quarry Metrics | Product analytics | Netherlands | 51-200
Ravenswood Media | Media | United Kingdom | 501-1000
Sundial Scheduling | Scheduling software | Portugal | 11-50
Thistle Foods Online | Online grocery | Ireland | 501-1000
Uplift Fundraising | Non-profit software | Belgium | 11-50
Verdant Proptech | Property software | Spain | 51-200
Wharf Payments | Payments | Netherlands | 201-500
Yonder Robotics | Warehouse automation | Sweden | 51-200
Zinc Treasury | Treasury software | Switzerland | 51-200
Arbor Signals | Sales intelligence | Poland | 11-50
Beacon Claims | Insurance software | France | 201-500
Cinder Ops | Incident management | United Kingdom | 51-200
Dovetail Hiring | Recruiting software | Germany | 51-200
Elm Street Bank Tech | Banking software | Ireland | 201-500
Fjord Analytics | Business intelligence | Norway | 51-200
Gable Home Services | Home services | United Kingdom | 201-500
Halcyon Events | Event software | Austria | 11-50
"""

CANDIDATES = """
Peppercorn Pay | Payments | United Kingdom | 51-200
Riverstone Billing | Subscription billing | Germany | 51-200
Skylark Data | Data integration | Netherlands | 11-50
Tern Insurance Tech | Insurance software | France | 51-200
Upland Revenue | Revenue operations | Ireland | 51-200
Vesper Security | Cyber security | Estonia | 51-200
Wrenfield | HR software | Sweden | 201-500
Axle Fleet | Fleet software | Poland | 51-200
Bramble Lending | Lending software | United Kingdom | 51-200
Cordage Cloud | Cloud infrastructure | Norway | 201-500
Damson Analytics | Product analytics | Denmark | 11-50
Estuary Legal | Legal software | Belgium | 11-50
Fennel Commerce | E-commerce software | Spain | 51-200
Gantry Procure | Procurement software | Austria | 51-200
Heron Support | Customer support software | Portugal | 51-200
Ironbark Payroll | Payroll software | United Kingdom | 51-200
Jasper Learning | Learning software | Finland | 51-200
Kiln Studio | Design software | Italy | 1-10
Loom & Lathe | Industrial automation | Germany | 201-500
Mistral Travel | Travel software | France | 51-200
Nettle Compliance | Compliance software | Luxembourg | 11-50
Oxbow Energy | Energy software | Netherlands | 51-200
Plover Media | Media | United Kingdom | 201-500
Quince Benefits | Employee benefits | Ireland | 51-200
"""

FINTECH = frozenset({
    "Banking software", "Expense management", "Insurance software", "Lending software", "Payments", "Treasury software",
})  # fmt: skip
# What the companies and candidates above do, without the industries that sell no software to businesses.
NO_SOFTWARE = {
    "CRM consulting", "Games", "Home services", "Industrial IoT", "Industrial automation", "Media", "Online grocery",
    "Telecommunications", "Warehouse automation",
}  # fmt: skip
SAAS = industries_of(COMPANIES, CANDIDATES) - FINTECH - NO_SOFTWARE

WORLD = World(
    slug="northwind",
    name="Northwind",
    time_zone="Europe/London",
    currency="EUR",
    colleagues=(
        Colleague("demo", "Dana", "Reyes", can_log_in=True),
        Colleague("auditor", "Alex", "Novak", can_log_in=True, is_staff=True),
        Colleague("maya.lindqvist", "Maya", "Lindqvist"),
        Colleague("tom.okafor", "Tom", "Okafor"),
        Colleague("priya.raman", "Priya", "Raman"),
    ),
    companies=COMPANIES,
    first_names="Jane Oliver Sofia Mateo Ingrid Luca Amelie Noah Freya Hugo Elena Kasper Nadia Felix Clara Omar "
    "Beatriz Emil Hannah Rafael Greta Daniel Ines Viktor Leila Anton Marta Jonas Zara Pavel",
    last_names="Whitfield Marchetti Lindgren Okoye Bauer Castellanos Novotny Hartley Dubois Sorensen Kovac Almeida "
    "Fischer Moreau Byrne Haugen Petrov Delgado Keller Vasquez Nyström Costa Lambert Weiss Doyle Aalto",
    titles=(
        "Head of Growth",
        "VP Sales",
        "Chief Revenue Officer",
        "Head of Revenue Operations",
        "Founder and CEO",
        "Marketing Director",
        "Finance Director",
        "Sales Operations Manager",
        "Chief Operating Officer",
    ),
    profiles=(
        Profile(
            "Growth-stage SaaS",
            "B2B software, 11 to 500 employees, in Europe, a sales team of five or more, funded in the last 24 months.",
            (
                "B2B software in Europe with a sales team of nine and a round raised last year.",
                "All five criteria hold; the sales team grew to 14 people.",
                "B2B software with 11 to 500 employees and funding within the last 24 months.",
            ),
            (
                "The last funding round is now more than 24 months ago.",
                "Its sales team shrank to three people.",
                "It moved from B2B software to selling to consumers.",
                "It was acquired and its sales team was merged into the buyer's.",
            ),
            approval="It fits Growth-stage SaaS and the contact is verified.",
            industries=SAAS,
            size_bands=("11-50", "51-200", "201-500"),
            other_industry="It sells no software to businesses: its industry is “{industry}”.",
            too_large="It passed 500 employees, the upper limit of this profile.",
        ),
        Profile(
            "Fintech scale-up",
            "Licensed financial technology company, 51 to 500 employees, in the UK or EU, live in two or more markets.",
            (
                "Licensed, live in three markets and within the headcount range.",
                "It received its e-money licence and opened a second market.",
            ),
            (
                "It gave back its payment licence and works through a partner bank now.",
                "It withdrew from all markets but one.",
            ),
            approval="It fits Fintech scale-up and its licence is on the register.",
            industries=FINTECH,
            size_bands=("51-200", "201-500"),
        ),
    ),
    stage_causes={
        STAGE.LEAD: (
            "It signed up for the newsletter after the spring webinar.",
            "It was imported from the attendee list of a trade fair.",
            "It was mentioned by an existing customer.",
        ),
        STAGE.PROSPECT: (
            "It was promoted from the prospect list after review: the contact is verified.",
            "The head of growth answered our first e-mail and asked for material.",
            "It started hiring for revenue operations.",
        ),
        STAGE.OPPORTUNITY: (
            "A deal was opened after the discovery call.",
            "They asked for a proposal and named a budget.",
        ),
        STAGE.CUSTOMER: (
            "The first deal was won.",
            "They signed an annual contract.",
        ),
        STAGE.FORMER_CUSTOMER: (
            "They did not renew: the budget went to a tool that the parent company prescribes.",
            "They gave notice because the project they bought it for ended.",
        ),
        STAGE.DISQUALIFIED: (
            "It has no sales team and plans none.",
            "It only buys through a reseller that we do not work with.",
        ),
    },
    deal_names=("Growth plan", "Annual licence", "Pilot for the sales team", "Enterprise rollout", "Signals add-on"),
    deal_amounts=(9_600, 14_400, 24_000, 36_000, 48_000, 72_000, 120_000),
    lost_reasons=(
        "They chose a cheaper product.",
        "The project was put off to next year.",
        "The new finance director stopped all purchases.",
    ),
    won_reasons=("They signed after a four-week pilot.", "The board approved the annual contract."),
    activities=(
        (KIND.CALL, "Discovery call", "They lose leads between marketing and sales and want one shared list."),
        (KIND.EMAIL, "Pricing for 40 seats", "Sent the price list; they will compare it with their current tool."),
        (KIND.MEETING, "Product demonstration", "Showed signals and scoring. They asked about the HubSpot import."),
        (KIND.CALL, "Follow-up on the proposal", "Legal is reading the contract; an answer is due next week."),
        (KIND.MESSAGE, "Question about data residency", "Asked where data is stored. Answered: in the EU."),
        (KIND.NOTE, "Budget cycle", "Budgets for the next half year are decided in the last week of the quarter."),
        (KIND.EMAIL, "Security questionnaire", "Returned the filled questionnaire with the penetration test summary."),
        (KIND.MEETING, "Quarterly review", "Usage is up by a third; they want a second team on board."),
        (KIND.TASK, "Send the case study", "The case study of a company like theirs, as they asked."),
        (KIND.CALL, "Renewal", "They will renew if single sign-on is included."),
    ),
    signals=(
        (SIGNAL.HIRING, "Is hiring a head of growth and three account executives"),
        (SIGNAL.FUNDING, "Raised a Series A of EUR 12 million"),
        (SIGNAL.FUNDING, "Raised a Series B of EUR 30 million"),
        (SIGNAL.LEADERSHIP, "A new chief revenue officer started"),
        (SIGNAL.LAUNCH, "Launched a self-service plan"),
        (SIGNAL.EXPANSION, "Opened an office in Madrid"),
        (SIGNAL.TECHNOLOGY, "Moved its website forms to HubSpot"),
        (SIGNAL.RISK, "Announced that it will cut a tenth of its jobs"),
    ),
    themes=(
        Theme(
            "Revenue team expansion",
            (
                ("Three account executive roles are advertised", 30, "Careers page"),
                ("A head of revenue operations was hired", 20, "Company blog"),
                ("The pricing page now asks visitors to talk to sales", 12, "Website"),
                ("The last outreach was not answered", -8, "E-mail history"),
            ),
        ),
        Theme(
            "New funding to spend",
            (
                ("A Series B was announced", 35, "Press release"),
                ("The founder named go-to-market as the use of the money", 22, "Podcast interview"),
                ("The board includes an investor of two of our customers", 10, "Company register"),
            ),
        ),
        Theme(
            "Replacing a legacy CRM",
            (
                ("A job advert mentions moving away from spreadsheets", 25, "Careers page"),
                ("The contract with the current vendor ends this year", 28, "Call with the sales operations manager"),
                ("Two people visited our comparison page", 9, "Website visits"),
                ("The finance director wants to put off purchases", -15, "Call notes"),
            ),
        ),
        Theme(
            "Entering a second market",
            (
                ("Registered a company in Spain", 24, "Company register"),
                ("Published a localised website", 14, "Website"),
                ("Is hiring a country manager", 20, "Careers page"),
            ),
        ),
    ),
    candidates=CANDIDATES,
    pending_reasons=(
        "The contact's e-mail address could not be verified.",
        "Its score is neither clearly high nor clearly low.",
        "Two sources disagree about the number of employees.",
        "It is new, and nobody has looked at it yet.",
    ),
    in_review_reasons=(
        "Maya is checking whether the company still sells to businesses.",
        "Waiting for the funding date to be confirmed.",
    ),
    approved_reasons=("Strong signals and the right size; promote it when an owner is free.",),
    rejected_reasons=(
        "It signed a three-year contract with a competitor.",
        "It is a competitor's reseller.",
        "It is being sold, and buys nothing until then.",
        "It has neither a sales team nor plans for one.",
    ),
    candidate_evidence=(
        ("Is in a country that the ICP names", 25, "Company register"),
        ("Is hiring for growth roles", 22, "Careers page"),
        ("Raised money in the last twelve months", 20, "Press release"),
        ("Uses a tool that we integrate with", 10, "Website"),
        ("The contact's e-mail could not be verified", -12, "E-mail check"),
    ),
    found_by=("Signals Search", "Lookalike search", "Webinar import"),
)
