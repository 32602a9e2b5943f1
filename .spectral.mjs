// Spectral lints the contract with its rules for OpenAPI: npm run lint:contract. Editors with Spectral also use this
// file.
import { oas } from '@stoplight/spectral-rulesets'

export default {
  extends: [oas],
  rules: {
    // This rule's schema for OpenAPI 3.1 does not accept a path item that is a $ref, so the rule checks the resolved
    // document (stoplightio/spectral#2655).
    'oas3-schema': { ...oas.rules['oas3-schema'], resolved: true },
    // This rule is off, because OpenAPI 3.1 allows roles for every kind of security scheme, and the rule treats them as
    // OAuth scopes (stoplightio/spectral#2643).
    'oas3-operation-security-defined': 'off',
    // These rules are off, because Redocly already checks the examples. The rules would need half a minute and would
    // treat data as schemas.
    'oas3-valid-media-example': 'off',
    'oas3-valid-schema-example': 'off',
    // This rule is off, because Plumbline is self-hosted and the contact is the operator.
    'info-contact': 'off',
  },
}
