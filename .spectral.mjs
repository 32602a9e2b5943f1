// Spectral lints the contract with its rules for OpenAPI: npm run lint:contract. Editors with Spectral use this file
// too.
import { oas } from '@stoplight/spectral-rulesets'

export default {
  extends: [oas],
  rules: {
    // Its schema of OpenAPI 3.1 rejects a path item that is a $ref, so it gets the resolved path items
    // (stoplightio/spectral#2655).
    'oas3-schema': { ...oas.rules['oas3-schema'], resolved: true },
    // OpenAPI 3.1 allows roles for every kind of security scheme; this rule mistakes them for OAuth scopes
    // (stoplightio/spectral#2643).
    'oas3-operation-security-defined': 'off',
    // Redocly checks the examples. These rules would check them again, which takes half a minute, and would mistake
    // data for schemas.
    'oas3-valid-media-example': 'off',
    'oas3-valid-schema-example': 'off',
    // Plumbline is self-hosted: the contact is whoever operates it.
    'info-contact': 'off',
  },
}
