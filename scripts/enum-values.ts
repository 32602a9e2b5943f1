import type { ContractDocument, Schema } from '../server/platform/calls/contract.ts'

/**
 * Generates the values of each named enum of the contract as a constant of the client: `bidStatusValues` for
 * `BidStatus`. Each is a separate export, so that a page includes only the ones it shows.
 */
export function writeEnumValues(document: ContractDocument): string {
  const schemas = Object.entries((document.components.schemas ?? {}) as Record<string, Schema>)
  const enums = schemas.flatMap(([name, { enum: values }]) =>
    Array.isArray(values) ? [{ name, values: values.map(String) }] : [],
  )
  const constants = enums.map(({ name, values }) => {
    const constant = `${name.charAt(0).toLowerCase()}${name.slice(1)}Values`
    const list = values.map((value) => `  '${value}',\n`).join('')
    return `\nexport const ${constant} = [\n${list}] as const satisfies readonly contract.${name}[]\n`
  })
  return [
    "import type * as contract from './contract.gen.ts'\n\n",
    "/** The values of the contract's enums, in its order. Written by `npm run generate`. */\n",
    constants.join('').trimStart(),
  ].join('')
}
