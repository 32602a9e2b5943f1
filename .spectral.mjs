// Spectral lints the contract with its rules for OpenAPI: npm run lint:contract. Editors with Spectral use them too.
import { oas } from '@stoplight/spectral-rulesets'

export default {
  extends: [oas],
  rules: {
    // Its schema of OpenAPI 3.1 refuses a path item that is a $ref, so it is given the path items themselves
    // (stoplightio/spectral#2655).
    'oas3-schema': { ...oas.rules['oas3-schema'], resolved: true },
    // OpenAPI 3.1 allows roles for every kind of security scheme; this rule takes them for scopes of OAuth
    // (stoplightio/spectral#2643).
    'oas3-operation-security-defined': 'off',
    // Redocly checks the examples. These rules would check them again, in half a minute, and take data for schemas.
    'oas3-valid-media-example': 'off',
    'oas3-valid-schema-example': 'off',
    // Plumbline is self-hosted: whoever runs it is the one to contact.
    'info-contact': 'off',
  },
}
