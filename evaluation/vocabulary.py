"""Own lists of the words in company names of the Americas, independent of Padrón's tables."""

from __future__ import annotations

COUNTRIES = ("EC", "MX", "US", "BR", "CO", "AR")
LANGUAGE = {"EC": "es", "MX": "es", "US": "en", "BR": "pt", "CO": "es", "AR": "es"}


CONNECTIVES = frozenset(
    "a al and as com da das de del di do dos e el em en for la las los na no o of para por the y &".split()
)
KIND_WORDS = frozenset(
    "cia co companhia compania company corp corporacao corporacion corporation empresa empresas group grupo holding"
    " holdings inc ltd sociedad sociedade sucursal the".split()
)
"""Words for the kind of a company: with or without them a name is the same."""
JOINERS = ("&", "y", "and", "e")

GENERIC_WORDS = {
    "es": ("empresa", "compañía", "empresa de", "grupo", "la empresa"),
    "pt": ("empresa", "companhia", "a empresa", "grupo"),
    "en": ("company", "the company", "business", "firm", "group"),
}
COUNTRY_NAMES = {
    "EC": ("Ecuador",),
    "MX": ("México", "Mexico"),
    "US": ("USA", "Estados Unidos", "United States"),
    "BR": ("Brasil", "Brazil"),
    "CO": ("Colombia",),
    "AR": ("Argentina",),
}

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    row.split()[0]: tuple(row.split()[1:])
    for row in """
    compania cia
    companhia cia
    industrias ind inds
    industrial ind
    industria ind
    industries ind inds
    comercial com cial
    comercio com
    comercializadora com comerc
    commercial com coml
    constructora const constr
    construcciones const constr
    construction const constr
    construtora const constr
    inmobiliaria inm inmob
    imobiliaria imob
    distribuidora dist distrib
    distribuciones dist distrib
    general gral gen
    generales grales
    geral ger
    manufacturing mfg
    manufacturas mfras
    international intl int
    internacional intl int internac
    brothers bros
    hermanos hnos
    irmaos irms
    nacional nac nal
    national natl nat
    servicios serv servs
    servicos serv servs
    services svcs serv
    transportes transp trans
    transporte transp trans
    transportation transp trans
    technologies tech techs
    technology tech
    tecnologia tec
    corporacion corp
    asociados asoc
    asociacion asoc
    associates assoc
    association assn
    associacao assoc
    agricola agr agric
    agropecuaria agrop
    importadora imp
    exportadora exp
    ingenieria ing
    engenharia eng
    engineering eng
    administradora adm admin
    administracion adm
    administracao adm
    representaciones rep repr
    productos prod prods
    produtos prod prods
    products prods
    laboratorios labs lab
    laboratorio lab
    laboratories labs
    farmaceutica farm
    pharmaceuticals pharma pharm
    therapeutics ther tx
    universidad univ
    university univ
    fundacion fund
    cooperativa coop
    cooperative coop
    sociedad soc
    management mgmt
    group grp gr
    grupo gpo
    holdings hldgs hldg
    holding hldg
    financial fin finl
    financiera fin financ
    american amer am
    systems sys
    sistemas sist
    partners ptnrs
    properties props
    investment inv invt
    investments inv invts
    inversiones inv invers
    investimentos invest
    participacoes part particip
    empreendimentos empr empreend
    assistencia assist
    medica med
    medico med
    santa sta
    santo sto
    hospital hosp
    clinica clin
    instituto inst
    electrica elec elect
    eletrica elet
    resources res
    acquisition acq
    development dev
    desarrollo des
    consultores cons consult
    consultoria cons consult
    centro ctro
    center ctr
    ferreteria ferr
    maquinaria maq
    metalurgica met
    mantenimiento mant mtto
    seguridad seg
    seguros seg
    telecomunicaciones telecom
    telecomunicacoes telecom
    communications comm comms
    """.strip().splitlines()
}
"""The abbreviations of each folded word, the commonest first."""

TRANSLATIONS: tuple[tuple[str, str, str], ...] = tuple(
    (es, pt, en)
    for es, pt, en in (
        row.split()
        for row in """
        compania companhia company
        industrias industrias industries
        industria industria industry
        seguros seguros insurance
        banco banco bank
        energia energia energy
        servicios servicos services
        servicio servico service
        tecnologia tecnologia technology
        tecnologias tecnologias technologies
        soluciones solucoes solutions
        desarrollo desenvolvimento development
        construcciones construcoes constructions
        constructora construtora builders
        construccion construcao construction
        alimentos alimentos foods
        aguas aguas waters
        agua agua water
        petroleo petroleo oil
        petroleos petroleos petroleum
        minera mineradora mining
        mineria mineracao mining
        salud saude health
        hermanos irmaos brothers
        grupo grupo group
        inversiones investimentos investments
        inversion investimento investment
        internacional internacional international
        nacional nacional national
        general geral general
        sistemas sistemas systems
        ingenieria engenharia engineering
        transportes transportes transports
        transporte transporte transport
        consultores consultores consultants
        consultoria consultoria consulting
        comercio comercio trade
        hijos filhos sons
        asociados associados associates
        asociacion associacao association
        farmaceutica farmaceutica pharmaceutical
        laboratorios laboratorios laboratories
        laboratorio laboratorio laboratory
        quimica quimica chemical
        electrica eletrica electric
        electricidad eletricidade electricity
        acero aco steel
        aceros acos steels
        cemento cimento cement
        cementos cimentos cements
        bebidas bebidas beverages
        distribuidora distribuidora distributor
        distribucion distribuicao distribution
        sur sul south
        norte norte north
        este leste east
        oeste oeste west
        mundo mundo world
        nuevo novo new
        nueva nova new
        gran grande great
        primera primeira first
        aerolineas aerolinhas airlines
        telecomunicaciones telecomunicacoes telecommunications
        comunicaciones comunicacoes communications
        plasticos plasticos plastics
        papel papel paper
        azucar acucar sugar
        cerveceria cervejaria brewery
        financiera financeira financial
        seguridad seguranca security
        hospital hospital hospital
        clinica clinica clinic
        universidad universidade university
        fundacion fundacao foundation
        cooperativa cooperativa cooperative
        corporacion corporacao corporation
        productos produtos products
        proyectos projetos projects
        recursos recursos resources
        propiedades propriedades properties
        gestion gestao management
        administracion administracao administration
        exportadora exportadora exporter
        importadora importadora importer
        motores motores motors
        vidrio vidro glass
        oro ouro gold
        plata prata silver
        mar mar sea
        rio rio river
        casa casa house
        hogar lar home
        vida vida life
        libertad liberdade liberty
        union uniao union
        tierra terra land
        campo campo field
        verde verde green
        azul azul blue
        educacion educacao education
        publicidad publicidade advertising
        moda moda fashion
        viajes viagens travel
        medica medica medical
        capital capital capital
        mercantil mercantil mercantile
        estrella estrela star
        americana americana american
        fabrica fabrica factory
        red rede network
        redes redes networks
        logistica logistica logistics
        """.strip().splitlines()
    )
)
"""Folded Spanish, Portuguese and English words of one meaning."""

CITIES: dict[str, tuple[str, ...]] = {
    "EC": (
        "Quito", "Guayaquil", "Cuenca", "Ambato", "Manta", "Loja", "Riobamba", "Machala", "Ibarra", "Esmeraldas",
        "Portoviejo", "Quevedo", "Latacunga", "Tulcan", "Azogues", "Otavalo", "Salinas", "Daule", "Babahoyo", "Milagro",
    ),
    "MX": (
        "Mexico", "Monterrey", "Guadalajara", "Puebla", "Tijuana", "Leon", "Queretaro", "Merida", "Toluca", "Cancun",
        "Chihuahua", "Saltillo", "Aguascalientes", "Hermosillo", "Morelia", "Veracruz", "Tampico", "Oaxaca", "Tlaxcala",
    ),
    "US": (
        "New York", "Chicago", "Houston", "Dallas", "Boston", "Seattle", "Denver", "Atlanta", "Miami", "Phoenix",
        "Texas", "California", "Florida", "Virginia", "Ohio", "Michigan", "Georgia", "Colorado", "Oregon", "Kentucky",
    ),
    "BR": (
        "São Paulo", "Rio de Janeiro", "Curitiba", "Recife", "Salvador", "Fortaleza", "Manaus", "Belém", "Goiânia",
        "Porto Alegre", "Campinas", "Brasília", "Vitória", "Natal", "Santos", "Bahia", "Paraná", "Ceará", "Maringá",
        "Londrina", "Joinville", "Blumenau", "Uberlândia", "Sorocaba", "Pernambuco", "Amazonas", "Maranhão", "Goiás",
    ),
    "CO": (
        "Bogotá", "Medellín", "Cali", "Barranquilla", "Cartagena", "Bucaramanga", "Pereira", "Manizales", "Cúcuta",
        "Ibagué", "Santa Marta", "Villavicencio", "Pasto", "Neiva", "Armenia", "Popayán", "Montería", "Antioquia",
        "Tolima", "Huila", "Boyacá", "Santander", "Cauca", "Risaralda", "Caldas",
    ),
    "AR": (
        "Buenos Aires", "Córdoba", "Rosario", "Mendoza", "La Plata", "Tucumán", "Salta", "Santa Fe", "Neuquén",
        "Mar del Plata", "Paraná", "Corrientes", "Posadas", "Bariloche", "Misiones", "Chubut", "Formosa", "San Juan",
        "Catamarca", "Jujuy", "Chaco",
    ),
}  # fmt: skip
NATIONS = (
    "Ecuador", "Mexico", "Brasil", "Colombia", "Argentina", "Chile", "Peru", "Bolivia", "Uruguay", "Paraguay", "Panama",
    "Venezuela", "Guatemala", "Honduras", "Canada", "Australia", "China", "India", "Israel", "Japan", "Iberia",
)  # fmt: skip
