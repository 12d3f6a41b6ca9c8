"""Meridian is a bank's business unit: it offers treasury, lending and compliance services to companies."""

from crm.demo.teller import industries_of
from crm.demo.world import Colleague, Profile, Theme, World
from crm.models import Activity, Company, Signal

STAGE = Company.LifecycleStage
KIND = Activity.Kind
SIGNAL = Signal.Kind

COMPANIES = """
Aldgate Shipping | Shipping | United Kingdom | 1001-5000
Borealis Timber | Forestry | Finland | 501-1000
Castellan Property Group | Real estate | Germany | 201-500
Dunmore Dairies | Food production | Ireland | 501-1000
Eastbourne Care Homes | Health care | United Kingdom | 1001-5000
Ferrante Textiles | Textiles | Italy | 201-500
Gotland Wind | Renewable energy | Sweden | 51-200
Highmoor Quarries | Building materials | United Kingdom | 201-500
Iberia Cold Chain | Logistics | Spain | 501-1000
Jutland Machinery | Machinery | Denmark | 201-500
Keystone Credit Union | Financial services | Ireland | 201-500
Lorient Fisheries | Fishing | France | 51-200
Montclair Hotels | Hotels | Switzerland | 1001-5000
Nordhaven Terminals | Ports | Germany | 501-1000
Oakridge Insurance Brokers | Insurance | United Kingdom | 51-200
Penrose Pharma | Pharmaceuticals | Belgium | 501-1000
Queensferry Distillers | Beverages | United Kingdom | 51-200
Rhineland Steel Trading | Metals trading | Germany | 51-200
Savoy Asset Leasing | Leasing | France | 51-200
Tiber Construction | Construction | Italy | 1001-5000
Ulster Grain | Agriculture | United Kingdom | 201-500
Valois Vineyards | Beverages | France | 11-50
Westmark Charter Bank | Banking | Netherlands | 501-1000
Yorkdale Pension Trustees | Pensions | United Kingdom | 11-50
Zeeland Offshore | Offshore services | Netherlands | 501-1000
Ardennes Rail Freight | Rail transport | Belgium | 501-1000
Brandt Family Office | Asset management | Germany | 1-10
Corvus Commodities | Commodities trading | Switzerland | 51-200
Dalmatia Resorts | Hotels | Croatia | 201-500
Elbe Paper Mills | Paper | Germany | 501-1000
Firth Aquaculture | Fishing | United Kingdom | 201-500
Grimaud Yachts | Shipbuilding | France | 51-200
Hanse Grain Terminals | Agriculture | Germany | 201-500
Ionian Airlines Leasing | Aviation leasing | Greece | 51-200
Jura Watchworks | Luxury goods | Switzerland | 201-500
Kilkenny Creameries | Food production | Ireland | 201-500
Ligurian Olive Mills | Food production | Italy | 11-50
Mercia Water | Utilities | United Kingdom | 1001-5000
Navarre Wind Holdings | Renewable energy | Spain | 51-200
Ostend Ferries | Passenger shipping | Belgium | 501-1000
Piedmont Motors | Car dealers | Italy | 201-500
Quay Street Capital | Private equity | United Kingdom | 11-50
Rotterdam Bunkering | Fuel trading | Netherlands | 51-200
Silesia Castings | Metals | Poland | 501-1000
Thames Valley Schools Trust | Education | United Kingdom | 1001-5000
Umbria Ceramics | Ceramics | Italy | 51-200
Vistula Logistics Parks | Real estate | Poland | 51-200
Wessex Solar | Renewable energy | United Kingdom | 11-50
Ypres Chemicals | Chemicals | Belgium | 201-500
Zurich Lakes Clinics | Health care | Switzerland | 501-1000
Avalon Payments House | Payments | Ireland | 51-200
Baltic Gas Storage | Energy | Lithuania | 201-500
Cambrian Slate | Building materials | United Kingdom | 51-200
Danube Barge Lines | Shipping | Austria | 201-500
Emerald Aviation Parts | Aviation | Ireland | 201-500
Flanders Bakeries | Food production | Belgium | 501-1000
Garonne Aerospace | Aerospace | France | 1001-5000
Hebridean Renewables | Renewable energy | United Kingdom | 11-50
Istria Marinas | Tourism | Croatia | 51-200
Jarlsberg Property | Real estate | Norway | 51-200
"""

CANDIDATES = """
Kentish Fruit Growers | Agriculture | United Kingdom | 201-500
Lucerne Medical Devices | Medical devices | Switzerland | 201-500
Malmö Rail Components | Rail supplies | Sweden | 501-1000
Normandy Ports Services | Ports | France | 501-1000
Odense Robotics Leasing | Leasing | Denmark | 51-200
Porto Cork Industries | Manufacturing | Portugal | 201-500
Ruhr Recycling | Waste management | Germany | 501-1000
Seville Solar Parks | Renewable energy | Spain | 51-200
Trieste Coffee Trading | Commodities trading | Italy | 51-200
Utrecht Housing Association | Housing | Netherlands | 201-500
Veneto Eyewear | Consumer goods | Italy | 501-1000
Waterford Glass Makers | Manufacturing | Ireland | 201-500
Antwerp Diamond Logistics | Logistics | Belgium | 51-200
Bergen Seafood Export | Fishing | Norway | 201-500
Cotswold Garden Centres | Retail | United Kingdom | 501-1000
Dresden Optics | Precision engineering | Germany | 501-1000
Espoo Forest Machines | Machinery | Finland | 201-500
Freeport Bullion | Commodities trading | Switzerland | 1-10
Galway Bay Hotels | Hotels | Ireland | 201-500
Harwich Container Repair | Shipping | United Kingdom | 51-200
Innsbruck Cableways | Tourism | Austria | 201-500
Jersey Trust Partners | Trust services | Jersey | 11-50
Katowice Data Centres | Data centres | Poland | 51-200
Limoges Porcelain | Manufacturing | France | 201-500
"""

ONE_CURRENCY = {"Education", "Health care", "Housing", "Pensions", "Utilities"}
FEW_FIXED_ASSETS = {
    "Asset management", "Banking", "Commodities trading", "Financial services", "Fuel trading", "Insurance",
    "Metals trading", "Payments", "Pensions", "Private equity", "Trust services",
}  # fmt: skip
INDUSTRIES = industries_of(COMPANIES, CANDIDATES)
TREASURY_SIZES = ("51-200", "201-500", "501-1000", "1001-5000")

WORLD = World(
    slug="meridian",
    name="Meridian",
    time_zone="Europe/Zurich",
    currency="CHF",
    colleagues=(
        Colleague("rival", "Robin", "Vale", can_log_in=True),
        Colleague("henrik.solberg", "Henrik", "Solberg"),
        Colleague("amara.diallo", "Amara", "Diallo"),
        Colleague("lucia.ferraro", "Lucia", "Ferraro"),
    ),
    companies=COMPANIES,
    first_names="Alistair Birgit Cedric Dorothea Edmund Francesca Gerhard Helena Ivan Josephine Konrad Lorenzo Margot "
    "Niall Odile Piers Rosalind Stefano Theresa Ulrich Veronique Wilhelm Xenia Yves Annika Bertrand Cecilia",
    last_names="Ashworth Brandstetter Caruso Devereux Engström Falkner Gallagher Hoffmann Iversen Jansen Kowalski "
    "Lefebvre McAllister Neumann Oberholzer Pellegrini Ritter Steinberg Thorne Vandenberg Wyss Zimmermann Ferreira",
    titles=(
        "Chief Financial Officer",
        "Group Treasurer",
        "Head of Compliance",
        "Finance Director",
        "Financial Controller",
        "Managing Director",
        "Head of Procurement",
        "Company Secretary",
        "Risk Manager",
    ),
    profiles=(
        Profile(
            "Mid-market treasury",
            "Turnover of CHF 50 to 500 million, cash flows in three or more currencies, own treasury function.",
            (
                "Turnover of CHF 180 million, four currencies and a treasurer of its own.",
                "Its sales now run in euro, pound, krone and dollar.",
            ),
            (
                "Treasury was centralised at the parent company abroad.",
                "It works in a single currency since it left its export markets.",
            ),
            approval="Clean screening and a good fit for mid-market treasury.",
            industries=INDUSTRIES - ONE_CURRENCY,
            size_bands=TREASURY_SIZES,
            other_industry="Its cash flows are in one currency: its industry is “{industry}”.",
            too_small="Its turnover fell below CHF 50 million after the sale of a division.",
        ),
        Profile(
            "Asset-backed lending",
            "Fixed assets of at least CHF 20 million, clean audit opinion, no insolvency event in five years.",
            (
                "Fixed assets of CHF 64 million and five clean audit opinions.",
                "Its newest site brought its fixed assets above the limit.",
            ),
            (
                "The auditor qualified the last annual accounts.",
                "It sold and leased back its sites, so that fixed assets fell below CHF 20 million.",
                "A subsidiary filed for insolvency in the spring.",
            ),
            approval="Assets and accounts fit asset-backed lending.",
            industries=INDUSTRIES - FEW_FIXED_ASSETS,
            other_industry="It has few fixed assets: its industry is “{industry}”.",
        ),
    ),
    stage_causes={
        STAGE.LEAD: (
            "It was introduced by its auditor.",
            "It asked for the trade finance brochure.",
            "It was named in a sector report on export companies.",
        ),
        STAGE.PROSPECT: (
            "It passed the first sanctions screening and the treasurer agreed to a meeting.",
            "It was promoted from the prospect list after review by the coverage team.",
            "Its loan with another bank matures within twelve months.",
        ),
        STAGE.OPPORTUNITY: (
            "A mandate for a term sheet was given.",
            "It invited us to tender for its cash management.",
        ),
        STAGE.CUSTOMER: (
            "The facility agreement was signed and onboarding was completed.",
            "The first account was opened after the know-your-customer check.",
        ),
        STAGE.FORMER_CUSTOMER: (
            "The loan was repaid early and the accounts were closed.",
            "It moved its cash management to its parent company's bank.",
        ),
        STAGE.DISQUALIFIED: (
            "The beneficial owner could not be established.",
            "Its main market is outside our risk appetite.",
        ),
    },
    deal_names=(
        "Revolving credit facility",
        "Cash management mandate",
        "Equipment leasing line",
        "FX hedging programme",
        "Guarantee line",
    ),
    deal_amounts=(150_000, 400_000, 750_000, 1_200_000, 2_500_000, 6_000_000),
    lost_reasons=(
        "The house bank matched our terms.",
        "The credit committee asked for more collateral than they could give.",
        "The investment was put off until rates fall.",
    ),
    won_reasons=("The credit committee approved and they signed.", "We won the tender on price and onboarding time."),
    activities=(
        (KIND.MEETING, "Annual accounts review", "Went through the accounts; leverage is down to 2.1 times."),
        (KIND.CALL, "Covenant headroom", "They expect headroom of about a fifth at the next test date."),
        (KIND.EMAIL, "Term sheet", "Sent the indicative term sheet, valid for thirty days."),
        (KIND.MEETING, "Site visit", "Saw the new terminal; insurance certificates are to follow."),
        (KIND.CALL, "Know-your-customer documents", "The register extract is missing; they will send it by Friday."),
        (KIND.NOTE, "Group structure", "The holding moved to Luxembourg; ownership is unchanged."),
        (KIND.EMAIL, "FX exposure report", "They sent the currency exposure of the last two quarters."),
        (KIND.TASK, "Prepare the credit application", "For the committee on the first Tuesday of next month."),
        (KIND.MESSAGE, "Signatories", "Two new authorised signatories are to be added to the mandate."),
        (KIND.CALL, "Renewal of the guarantee line", "They want to renew and to raise the limit by a quarter."),
    ),
    signals=(
        (SIGNAL.REGULATION, "Falls under the new sustainability reporting rules from next year"),
        (SIGNAL.EXPANSION, "Announced a new terminal with an investment of CHF 40 million"),
        (SIGNAL.LEADERSHIP, "Appointed a new chief financial officer"),
        (SIGNAL.FUNDING, "Placed a private bond of CHF 75 million"),
        (SIGNAL.RISK, "Issued a profit warning"),
        (SIGNAL.HIRING, "Is looking for a group treasurer"),
        (SIGNAL.TECHNOLOGY, "Is replacing its treasury management system"),
        (SIGNAL.RISK, "The auditor was changed for the second time in three years"),
    ),
    themes=(
        Theme(
            "Refinancing within a year",
            (
                ("The syndicated loan matures in eleven months", 38, "Annual report"),
                ("The treasurer asked for indicative pricing", 26, "Call with the group treasurer"),
                ("A rival bank withdrew from the sector", 14, "Trade press"),
                ("Leverage is above our usual limit", -14, "Annual accounts"),
            ),
        ),
        Theme(
            "Currency risk to hedge",
            (
                ("More than half of sales are outside the home currency", 28, "Annual report"),
                ("Currency losses were reported in two quarters", 24, "Interim accounts"),
                ("The board approved a hedging policy", 20, "Board minutes shared by the client"),
            ),
        ),
        Theme(
            "Fleet or plant investment",
            (
                ("An investment programme was announced", 30, "Press release"),
                ("Suppliers confirmed orders for machinery", 16, "Meeting notes"),
                ("Energy prices may delay the programme", -10, "Sector report"),
            ),
        ),
        Theme(
            "Cash management tender",
            (
                ("A tender for cash management is planned", 34, "Procurement notice"),
                ("The current bank closes its local branch", 18, "Trade press"),
                ("They run nineteen accounts with six banks", 12, "Meeting notes"),
            ),
        ),
    ),
    candidates=CANDIDATES,
    pending_reasons=(
        "The beneficial owner is not confirmed yet.",
        "The sanctions screening returned a possible name match.",
        "The turnover in two sources differs by more than a fifth.",
        "It is new, and nobody has looked at it yet.",
    ),
    in_review_reasons=(
        "Henrik is reading the last audited accounts.",
        "Compliance is clearing a possible name match.",
    ),
    approved_reasons=("Clean screening and complete accounts; promote it when an owner is free.",),
    rejected_reasons=(
        "Its parent company decides on its banks.",
        "Its main market is outside our risk appetite.",
        "An insolvency event lies less than five years back.",
        "It borrows from its shareholders alone.",
    ),
    candidate_evidence=(
        ("The last accounts were audited without a remark", 28, "Annual accounts"),
        ("A loan matures within eighteen months", 24, "Annual report"),
        ("A new finance director was appointed", 16, "Company register"),
        ("It exports to four countries", 12, "Customs statistics"),
        ("The ownership structure is not clear", -16, "Company register"),
    ),
    found_by=("Sector screening", "Lookalike search", "Auditor referral list"),
)
