// Spectral lints the contract with its rules for OpenAPI: npm run lint:contract. Editors with Spectral also use this
// file.
import { oas } from '@stoplight/spectral-rulesets'

export default {
  extends: [oas],
  rules: {
    // The rule's OpenAPI 3.1 schema rejects a path item that is a $ref, so the rule checks the resolved document
    // (stoplightio/spectral#2655).
    'oas3-schema': { ...oas.rules['oas3-schema'], resolved: true },
    // OpenAPI 3.1 allows roles for every kind of security scheme; this rule mistakes them for OAuth scopes
    // (stoplightio/spectral#2643).
    'oas3-operation-security-defined': 'off',
    // Redocly checks the examples. These rules would check the examples again, which takes half a minute, and would
    // mistake data for schemas.
    'oas3-valid-media-example': 'off',
    'oas3-valid-schema-example': 'off',
    // Plumbline is self-hosted, so the contact is the operator.
    'info-contact': 'off',
  },
}
