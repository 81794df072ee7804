// Generated from the OpenAPI descriptions that the service serves: npm run wire

export type components = {
    schemas: {
        /**
         * V1Answer
         * @description Answer of a search, best match first.
         */
        V1Answer: {
            /** @description The query as received. */
            q: string;
            country: ("AR" | "BR" | "CO" | "EC" | "MX" | "US") | null;
            /** @description The first result of all when its confidence is 0.85 or higher. */
            bestMatch: components["schemas"]["V1Result"] | null;
            suggestedCountries: ("AR" | "BR" | "CO" | "EC" | "MX" | "US")[];
            matchHints: string[];
            results: components["schemas"]["V1Result"][];
            nextCursor: string | null;
        };
        /**
         * V1Entity
         * @description Answer of the entity lookup.
         */
        V1Entity: {
            entity: components["schemas"]["V1Record"];
            requestedIdentifier: components["schemas"]["RequestedIdentifier"];
        };
        /**
         * Financials
         * @description Answer of the financial history, the latest year first.
         */
        Financials: {
            entity: components["schemas"]["Record"];
            statements: components["schemas"]["Statement"][];
        };
        /**
         * Coverage
         * @description Live public record counts by country.
         */
        Coverage: {
            countries: components["schemas"]["CountryCoverage"][];
            total: number;
            release: string;
            /** Format: date-time */
            generatedAt: string;
        };
        /**
         * CheckoutShown
         * @description A checkout that was begun.
         */
        CheckoutShown: {
            /** Format: uri */
            checkoutUrl: string;
            checkoutId: string;
            planId: string;
            /** Format: date-time */
            expiresAt: string;
        };
        /**
         * Problem
         * @description An error, as RFC 9457 `application/problem+json`.
         */
        Problem: {
            /** Format: uri-reference */
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @description Stable; `title` and `detail` follow the language. */
            code: string;
            requestId: string;
            errors?: components["schemas"]["FieldError"][];
            /** @description Of a spent quota: the policies, as `RateLimit-Policy` names them. */
            "violated-policies"?: string[];
        };
        /**
         * V1Result
         * @description A search result and why it is one.
         */
        V1Result: {
            legalName: string;
            tradeName: string | null;
            /**
             * @description Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** @description Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** @description Official identifier in canonical form: no separators. */
            identifier: string;
            /** @description What the identifier is called, in the reader's language. */
            idLabel: string;
            confidence: number | null;
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            classificationCode: string | null;
            classificationLabel: string | null;
            financialsAvailable: boolean;
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /**
             * @description What of the company the query agreed with.
             * @enum {unknown}
             */
            matchedOn: "alternativeName" | "formerName" | "identifier" | "legalName" | "ticker" | "tradeName";
            /** @description Confidence less that of the next company. */
            margin: number;
            /** @description What each feature added to the log-odds, the weightiest first. */
            explanations: {
                [key: string]: number;
            };
        };
        /**
         * V1Record
         * @description A company in full.
         */
        V1Record: {
            legalName: string;
            tradeName: string | null;
            /**
             * @description Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** @description Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** @description Official identifier in canonical form: no separators. */
            identifier: string;
            /** @description What the identifier is called, in the reader's language. */
            idLabel: string;
            confidence: number | null;
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            classificationCode: string | null;
            classificationLabel: string | null;
            financialsAvailable: boolean;
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            source: components["schemas"]["SourceRef"] | null;
            refreshedAt: string | null;
            officialStatus: string | null;
            legalForm: components["schemas"]["LegalForm"] | null;
            names: components["schemas"]["OtherName"][];
            identifiers: components["schemas"]["OtherIdentifier"][];
            activities: components["schemas"]["Activity"][];
            region: string | null;
            municipality: string | null;
            incorporatedOn: string | null;
            endedOn: string | null;
            establishments: number | null;
            countryOfIncorporation: string | null;
            /** @description By precedence. */
            sources: components["schemas"]["EntitySource"][];
            /** @description Member -> keys of the sources asked for it, in order; the first that states it gave it. */
            provenance: {
                [key: string]: string[];
            };
            /** @description Share of the members above that are known. */
            completeness: number;
            links: components["schemas"]["V1Links"];
        };
        /**
         * RequestedIdentifier
         * @description The identifier as it was asked, in canonical form.
         */
        RequestedIdentifier: {
            scheme: string;
            identifier: string;
            /**
             * @description How it relates to the company.
             * @enum {unknown}
             */
            match: "alias" | "branch" | "primary";
            validCheck: boolean | null;
        };
        /**
         * Record
         * @description A company as the single-company lookup gives it.
         */
        Record: {
            legalName: string;
            tradeName: string | null;
            /**
             * @description Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "AR" | "BR" | "CO" | "EC" | "MX" | "US";
            /** @description Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** @description Official identifier in canonical form: no separators. */
            identifier: string;
            /** @description What the identifier is called, in the reader's language. */
            idLabel: string;
            confidence: number | null;
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            classificationCode: string | null;
            classificationLabel: string | null;
            financialsAvailable: boolean;
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            source: components["schemas"]["SourceRef"] | null;
            refreshedAt: string | null;
        };
        /**
         * Statement
         * @description A yearly statement of a company.
         */
        Statement: {
            fiscalYear: number;
            periodStart: string | null;
            /** Format: date */
            periodEnd: string;
            /** @description ISO 4217, as reported. */
            currency: string;
            /** @description What an amount of 1 stands for: always 1. */
            unit: number;
            /**
             * @description With its subsidiaries; the parent alone; a company that files alone.
             * @enum {unknown}
             */
            scope: "consolidated" | "individual" | "separate";
            figures: components["schemas"]["Figure"][];
            employees: number | null;
            /** @description A later filing changed a figure by more than 0.1 %. */
            restated: boolean;
            filing: components["schemas"]["Filing"];
            source: components["schemas"]["EntitySource"];
            /** @description Checks that the published figures fail. */
            checks: string[];
        };
        /**
         * CountryCoverage
         * @description What a country's part of the release holds.
         */
        CountryCoverage: {
            /** @enum {unknown} */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            companies: number;
            byScheme: {
                [key: string]: number;
            };
            sources: components["schemas"]["SourceState"][];
        };
        /**
         * FieldError
         * @description One thing wrong with a request.
         */
        FieldError: {
            detail: string;
            parameter?: string;
            pointer?: string;
        };
        /**
         * CanonicalUrls
         * @description The company's page in each language.
         */
        CanonicalUrls: {
            /** Format: uri */
            es: string;
            /** Format: uri */
            en: string;
        };
        /**
         * SourceRef
         * @description The official source that `legalName` was taken from.
         */
        SourceRef: {
            sourceName: string | null;
            sourceUrl: string | null;
        };
        /**
         * LegalForm
         * @description A legal form: what the law calls the kind of company.
         */
        LegalForm: {
            code: string | null;
            es: string | null;
            en: string | null;
            official: string | null;
        };
        /**
         * OtherName
         * @description Another name of the company; dates where the register states them.
         */
        OtherName: {
            /** @enum {unknown} */
            kind: "alternative" | "former" | "ticker" | "trade";
            name: string;
            since: string | null;
            until: string | null;
        };
        /**
         * OtherIdentifier
         * @description Another official number that leads to the company.
         */
        OtherIdentifier: {
            scheme: string;
            identifier: string;
            idLabel: string;
        };
        /**
         * Activity
         * @description What the company does, in the country's own classification.
         */
        Activity: {
            code: string | null;
            label: string | null;
            system: string;
            version: string;
        };
        /**
         * EntitySource
         * @description An official source in full.
         */
        EntitySource: {
            key: string;
            name: string;
            publisher: string;
            url: string | null;
            licence: string;
            attribution: string;
        };
        /**
         * V1Links
         * @description Where to go on.
         */
        V1Links: {
            self: string;
            financials: string;
            public: string;
        };
        /**
         * Figure
         * @description One amount of a statement, exact, as text: in `currency` times `unit`.
         */
        Figure: {
            /** @description revenue, grossProfit, netProfit, assets, equity …; a figure not stated is absent. */
            key: string;
            /** @description What it is called, in the reader's language. */
            label: string;
            amount: string;
            basis: string | null;
            firstReported: string | null;
        };
        /**
         * Filing
         * @description The filing that the profit was taken from.
         */
        Filing: {
            form: string | null;
            reference: string | null;
            filedOn: string | null;
        };
        /**
         * SourceState
         * @description One official source behind a country's records.
         */
        SourceState: {
            name: string;
            url: string | null;
            licence: string;
            attribution: string;
            date: string | null;
            /** @description Companies this source contributed to. */
            records: number;
            /** @enum {unknown} */
            state: "failed" | "fresh" | "late" | "manual";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
