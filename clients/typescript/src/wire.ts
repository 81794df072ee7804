// Generated from the OpenAPI descriptions that the service serves: npm run wire

export type components = {
    schemas: {
        /** Answer of a search: the public one, and how far it can be relied on. */
        V1Answer: {
            /** The query as received. */
            q: string;
            /** The country filter. */
            country: ("AR" | "BR" | "CO" | "EC" | "MX" | "US") | null;
            /**
             * `found` if and only if `bestMatch` is not null; `ambiguous`: several fit equally; `possible`: something like it, or a list of companies; `invalid_input`: a number that cannot be right, or nothing to look for.
             * @enum {unknown}
             */
            verdict: "ambiguous" | "found" | "invalid_input" | "not_found" | "possible";
            /** What this comes to, in the reader's language, to be quoted. */
            sentence: string;
            /** The first result of all when its confidence is 0.85 or higher. */
            bestMatch: components["schemas"]["V1Result"] | null;
            /** Distinct countries of the results, when country was omitted and ≥ 2. */
            suggestedCountries: ("AR" | "BR" | "CO" | "EC" | "MX" | "US")[];
            /** Short tips in the reader's language. */
            matchHints: string[];
            /** The results of this page, the likeliest first. */
            results: components["schemas"]["V1Result"][];
            /** Results on all pages. */
            total: number;
            /** Pass it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
            /** What was made of the text. */
            interpretation: components["schemas"]["Interpretation"];
            /** In the order they were tried. */
            steps: components["schemas"]["Step"][];
            /** One for each company, where several were asked. */
            companies: components["schemas"]["CompanyAnswer"][];
            /** Where was looked. */
            searched: components["schemas"]["SearchedCountry"][];
            /** What leads on, the most useful first. */
            nextSteps: components["schemas"]["NextStep"][];
        };
        /** Answer of the entity lookup. */
        V1Entity: {
            /** A company in full. */
            entity: components["schemas"]["V1Record"];
            /** The identifier as it was asked, in canonical form. */
            requestedIdentifier: components["schemas"]["RequestedIdentifier"];
        };
        /** Answer of the financial history, the latest year first. */
        Financials: {
            /** A company as the single-company lookup gives it. */
            entity: components["schemas"]["Record"];
            /** A yearly statement, and what can be computed from it; a measure whose amounts are not all stated is absent. */
            statements: components["schemas"]["V1Statement"][];
            /** Null where there are statements. */
            absence: components["schemas"]["Absence"] | null;
        };
        /** Live public record counts by country. */
        Coverage: {
            /** What a country's part of the release holds. */
            countries: components["schemas"]["CountryCoverage"][];
            /** Companies of all countries. */
            total: number;
            /** Id of the release being served. */
            release: string;
            /**
             * Format: date-time
             * When the release was built.
             */
            generatedAt: string;
        };
        /** A checkout that was begun. */
        CheckoutShown: {
            /**
             * Format: uri
             * Where the buyer pays.
             */
            checkoutUrl: string;
            /** Id of this checkout. */
            checkoutId: string;
            /** The plan that is bought. */
            planId: string;
            /**
             * Format: date-time
             * Until then it can be paid.
             */
            expiresAt: string;
        };
        /** An error, as RFC 9457 `application/problem+json`. */
        Problem: {
            /**
             * Format: uri-reference
             * Kind of problem, as RFC 9457 names it.
             */
            type: string;
            /** The kind in a few words. */
            title: string;
            /** HTTP status. */
            status: number;
            /** What went wrong and how to mend it. */
            detail: string;
            /** This occurrence. */
            instance: string;
            /** Stable; `title` and `detail` follow the language. */
            code: string;
            /** The same as `X-Request-Id`; quote it when asking for help. */
            requestId: string;
            /** One thing wrong with a request. */
            errors?: components["schemas"]["FieldError"][];
            /** What would open what was refused, and where it is bought. */
            offer?: components["schemas"]["Offer"];
            /** Of a spent quota: the policies, as `RateLimit-Policy` names them. */
            "violated-policies"?: string[];
        };
        /** A search result and why it is one. */
        V1Result: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /**
             * What of the company the query agreed with; `activity` in a list of companies.
             * @enum {unknown}
             */
            matchedOn: "activity" | "alternativeName" | "formerName" | "identifier" | "legalName" | "ticker" | "tradeName";
            /** Confidence less that of the next company. */
            margin: number;
            /** What each feature added to the log-odds, the weightiest first. */
            explanations: {
                [key: string]: number;
            };
            /** Why it is a result, in the reader's language. */
            explanation: string;
        };
        /** What was made of the text. */
        Interpretation: {
            /**
             * One company, several, or all that fit a description.
             * @enum {unknown}
             */
            intent: "companies" | "company" | "list";
            /**
             * The language that asks; `es` where none tells.
             * @enum {unknown}
             */
            language: "en" | "es" | "pt";
            /** Empty for a list. */
            companies: components["schemas"]["AskedCompany"][];
            /** In the order of the text. */
            understood: components["schemas"]["Understood"][];
            /** The aspects that `ignore` switched off. */
            ignored: string[];
            /** Companies beyond the eighth, which were not looked for. */
            leftOut: number;
        };
        /** Something that was tried. */
        Step: {
            /**
             * What was tried.
             * @enum {unknown}
             */
            action: "activity" | "broaderName" | "exactName" | "identifier" | "oneDigitRepair" | "otherCountries" | "similarName";
            /** With what, in the reader's language. */
            detail: string;
            /** Companies that this brought. */
            found: number;
            /** The only member that may differ between two equal answers. */
            tookMs: number;
        };
        /** The answer about one of several companies. */
        CompanyAnswer: {
            /** The words that ask for it. */
            asked: string;
            /**
             * As that of the whole answer.
             * @enum {unknown}
             */
            verdict: "ambiguous" | "found" | "invalid_input" | "not_found" | "possible";
            /** What this comes to, in the reader's language, to be quoted. */
            sentence: string;
            /** A search result and why it is one. */
            bestMatch: components["schemas"]["V1Result"] | null;
            /** Three at most. */
            results: components["schemas"]["V1Result"][];
        };
        /** Registers that were searched. */
        SearchedCountry: {
            /**
             * Country of the registers.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** Companies held of it. */
            records: number;
            /** The newest date that its publishers state. */
            date: string | null;
            /** Names of the registers and data sets. */
            sources: string[];
            /** Every source is whole and up to date; else a company may exist that is not here. */
            complete: boolean;
        };
        /** A call that leads on. */
        NextStep: {
            /**
             * What the call does.
             * @enum {unknown}
             */
            action: "disambiguate" | "getEntity" | "getFinancials" | "mendIdentifier" | "searchEverywhere" | "seeCoverage";
            /**
             * HTTP method of the call.
             * @enum {unknown}
             */
            method: "GET";
            /**
             * Format: uri
             * Address of the call.
             */
            link: string;
            /** What it is good for, in the reader's language. */
            why: string;
        };
        /** A company in full. */
        V1Record: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /** The official source that `legalName` was taken from. */
            source: components["schemas"]["SourceRef"] | null;
            /** The date the publisher states for this data; never our build time. */
            refreshedAt: string | null;
            /** The register's own wording of `status`. */
            officialStatus: string | null;
            /** A legal form: what the law calls the kind of company. */
            legalForm: components["schemas"]["LegalForm"] | null;
            /** Another name of the company; dates where the register states them. */
            names: components["schemas"]["OtherName"][];
            /** Another official number that leads to the company. */
            identifiers: components["schemas"]["OtherIdentifier"][];
            /** What the company does, in the country's own classification. */
            activities: components["schemas"]["Activity"][];
            /** Province, state or department; never a street. */
            region: string | null;
            /** Municipality or canton. */
            municipality: string | null;
            /** Day of incorporation, or of entry into the register. */
            incorporatedOn: string | null;
            /** Day it ended. */
            endedOn: string | null;
            /** Establishments the register counts. */
            establishments: number | null;
            /** ISO 3166-1 alpha-2, of a foreign company in this register. */
            countryOfIncorporation: string | null;
            /** By precedence. */
            sources: components["schemas"]["EntitySource"][];
            /** Member that a source stated -> key, in `sources`, of the one that gave it. */
            provenance: {
                [key: string]: string;
            };
            /** Share of the members above that are known. */
            completeness: number;
            /** Where to go on. */
            links: components["schemas"]["V1Links"];
        };
        /** The identifier as it was asked, in canonical form. */
        RequestedIdentifier: {
            /** Scheme it was understood as. */
            scheme: string;
            /** The number in canonical form. */
            identifier: string;
            /**
             * How it relates to the company.
             * @enum {unknown}
             */
            match: "alias" | "branch" | "primary";
            /** Null: the scheme has no check digit. */
            validCheck: boolean | null;
        };
        /** A company as the single-company lookup gives it. */
        Record: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /** The official source that `legalName` was taken from. */
            source: components["schemas"]["SourceRef"] | null;
            /** The date the publisher states for this data; never our build time. */
            refreshedAt: string | null;
        };
        /** A yearly statement, and what can be computed from it; a measure whose amounts are not all stated is absent. */
        V1Statement: {
            /** The year the company calls it by. */
            fiscalYear: number;
            /** First day, where it is stated. */
            periodStart: string | null;
            /**
             * Format: date
             * Last day.
             */
            periodEnd: string;
            /** ISO 4217, as reported. */
            currency: string;
            /** What an amount of 1 stands for: always 1. */
            unit: number;
            /**
             * With its subsidiaries; the parent alone; a company that files alone.
             * @enum {unknown}
             */
            scope: "consolidated" | "individual" | "separate";
            /** One amount of a statement, exact, as text: in `currency` times `unit`. */
            figures: components["schemas"]["Figure"][];
            /** People employed, where the source states it. */
            employees: number | null;
            /** A later filing changed a figure by more than 0.1 %. */
            restated: boolean;
            /** The filing that the profit was taken from. */
            filing: components["schemas"]["Filing"];
            /** An official source in full. */
            source: components["schemas"]["EntitySource"];
            /** Checks that the published figures fail. */
            checks: string[];
            /** Over the year before, in the same currency and scope. */
            growth: components["schemas"]["Measure"][];
            /** A number computed from two amounts (docs/v1: which, and how). */
            ratios: components["schemas"]["Measure"][];
        };
        /** Why there are no statements. */
        Absence: {
            /**
             * The country publishes none as open data; or it does, and none of this company is held.
             * @enum {unknown}
             */
            reason: "none-held" | "not-published";
            /** The reason in Spanish, to be quoted. */
            es: string;
            /** The same in English. */
            en: string;
        };
        /** What a country's part of the release holds. */
        CountryCoverage: {
            /**
             * Country of the registers.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** Companies in the directory. */
            companies: number;
            /** Companies by the scheme of their `identifier`. */
            byScheme: {
                [key: string]: number;
            };
            /** One official source behind a country's records. */
            sources: components["schemas"]["SourceState"][];
        };
        /** One thing wrong with a request. */
        FieldError: {
            /** What is wrong. */
            detail: string;
            /** Name of the parameter. */
            parameter?: string;
            /** JSON Pointer into the body. */
            pointer?: string;
        };
        /** What would open what was refused, and where it is bought. */
        Offer: {
            /** Plans that include it, the cheapest first. */
            plans: string[];
            /**
             * Format: uri
             * Where a person chooses one.
             */
            page: string;
            /**
             * Format: uri
             * Where a program POSTs `planId`.
             */
            operation: string;
        };
        /** The company's page in each language. */
        CanonicalUrls: {
            /**
             * Format: uri
             * In Spanish.
             */
            es: string;
            /**
             * Format: uri
             * In English.
             */
            en: string;
        };
        /** A company that the text asks for. */
        AskedCompany: {
            /** The words that ask for it. */
            text: string;
            /** The kind of identifier that was asked for or given. */
            scheme: string | null;
            /** In the order they are tried. */
            readings: components["schemas"]["Reading"][];
        };
        /** Something that was understood of the text beside the names in it. */
        Understood: {
            /**
             * Pass it as `ignore` and it is not understood; `scheme` is a kind of identifier.
             * @enum {unknown}
             */
            aspect: "activity" | "country" | "hasFinancials" | "legalForm" | "listed" | "region" | "scheme" | "status";
            /** The words that say it. */
            text: string;
            /** What it was understood as: a code, where the aspect has codes. */
            value: string;
        };
        /** The official source that `legalName` was taken from. */
        SourceRef: {
            /** Name of the register or data set. */
            sourceName: string | null;
            /** Where its publisher offers it. */
            sourceUrl: string | null;
        };
        /** A legal form: what the law calls the kind of company. */
        LegalForm: {
            /** Our stable code within the country. */
            code: string | null;
            /** Name in Spanish. */
            es: string | null;
            /** Name in English. */
            en: string | null;
            /** As the register words it, where it does. */
            official: string | null;
        };
        /** Another name of the company; dates where the register states them. */
        OtherName: {
            /**
             * What kind of name.
             * @enum {unknown}
             */
            kind: "alternative" | "former" | "ticker" | "trade";
            /** The name. */
            name: string;
            /** First day. */
            since: string | null;
            /** Last day. */
            until: string | null;
        };
        /** Another official number that leads to the company. */
        OtherIdentifier: {
            /** Scheme of `identifier`, for example `lei`. */
            scheme: string;
            /** The number in canonical form. */
            identifier: string;
            /** What it is called, in the reader's language. */
            idLabel: string;
        };
        /** What the company does, in the country's own classification. */
        Activity: {
            /** Code of the activity. */
            code: string | null;
            /** Official wording, in the official language. */
            label: string | null;
            /** The classification: CIIU, SCIAN, SIC, CNAE or CLAE. */
            system: string;
            /** Its edition. */
            version: string;
        };
        /** An official source in full. */
        EntitySource: {
            /** Our stable key of the source. */
            key: string;
            /** Name of the register or data set. */
            name: string;
            /** Who publishes it. */
            publisher: string;
            /** Where the publisher offers it. */
            url: string | null;
            /** Terms it may be used under. */
            licence: string;
            /** Whom to name when using it. */
            attribution: string;
        };
        /** Where to go on. */
        V1Links: {
            /** This answer. */
            self: string;
            /** Yearly statements. */
            financials: string;
            /** The public answer. */
            public: string;
        };
        /** One amount of a statement, exact, as text: in `currency` times `unit`. */
        Figure: {
            /** revenue, grossProfit, netProfit, assets, equity …; a figure not stated is absent. */
            key: string;
            /** What it is called, in the reader's language. */
            label: string;
            /** A decimal number. */
            amount: string;
            /** Tag, account or column of the source that it was taken from. */
            basis: string | null;
            /** As first reported, where a later filing changed it. */
            firstReported: string | null;
        };
        /** The filing that the profit was taken from. */
        Filing: {
            /** Its kind, as the publisher calls it: 10-K, 20-F, DFP … */
            form: string | null;
            /** The publisher's reference. */
            reference: string | null;
            /** Day it was filed. */
            filedOn: string | null;
        };
        /** A number computed from two amounts (docs/v1: which, and how). */
        Measure: {
            /** Of growth the figure that grew; of ratios netMargin, returnOnEquity … */
            key: string;
            /** What it is called, in the reader's language. */
            label: string;
            /** 0.05 is five percent; rounded to four decimals. */
            value: number;
        };
        /** One official source behind a country's records. */
        SourceState: {
            /** Name of the register or data set. */
            name: string;
            /** Where the publisher offers it. */
            url: string | null;
            /** Terms it may be used under. */
            licence: string;
            /** Whom to name when using it. */
            attribution: string;
            /** Date of the newest data of this source in the release. */
            date: string | null;
            /** Companies this source contributed to. */
            records: number;
            /**
             * `late`: older than its publisher makes them; `failed`: not fetched; `manual`: got by hand.
             * @enum {unknown}
             */
            state: "failed" | "fresh" | "late" | "manual";
        };
        /** One way the name of a company was taken. */
        Reading: {
            /**
             * As it stands; without what asks for it; without the words that describe the company.
             * @enum {unknown}
             */
            how: "bare" | "torn" | "whole";
            /** The name that was looked for. */
            name: string;
            /** Where it was looked for. */
            country: ("AR" | "BR" | "CO" | "EC" | "MX" | "US") | null;
            /** Whether the results are those of this reading. */
            chosen: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
