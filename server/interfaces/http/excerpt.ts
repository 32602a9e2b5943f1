import { type ContractDocument, ContractError } from '../../platform/calls/contract.ts'

/**
 * The part of the contract that is needed to validate the requests to one path: the path itself and all components that
 * it refers to, directly or indirectly. Path parameters are left out, because they are ids, which the look-up checks.
 */
export function excerpt(document: ContractDocument, path: string): ContractDocument {
  const item = document.paths[path]
  if (item === undefined) throw new ContractError(`${path} is not in the contract.`)
  const components: Record<string, Record<string, unknown>> = {}
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(value)) {
      // Validating requests needs neither examples nor answers.
      if (key === 'examples' || key === 'example') continue
      // The validator refuses keywords that it does not know.
      if (key === 'x-secret' || key === 'x-writtenBy') continue
      copy[key] = key === 'responses' ? { default: { description: 'Any.' } } : visit(inner)
    }
    if (copy.in === 'query') {
      // A reserved character that was not percent-encoded (a colon in an instant) is unambiguous here, so it is
      // allowed.
      copy.allowReserved = true
    }
    if (typeof copy.$ref === 'string') {
      const [, , kind, name] = copy.$ref.split('/')
      if (kind !== undefined && name !== undefined && components[kind]?.[name] === undefined) {
        components[kind] ??= {}
        components[kind][name] = {}
        components[kind][name] = visit(document.components[kind]?.[name])
      }
    }
    return copy
  }
  const { parameters = [], ...rest } = visit(item) as ContractDocument['paths'][string]
  // The validator resolves references in parameters again on every request, so they are replaced by their targets.
  const written = (all: object[]) => all.map((each) => writeOut(components, each)).filter((each) => each.in !== 'path')
  for (const operation of Object.values(rest) as { parameters?: object[] }[]) {
    operation.parameters = written([...parameters, ...(operation.parameters ?? [])])
  }
  // HEAD takes the same input as GET.
  const methods = rest.get === undefined ? rest : { ...rest, head: rest.get }
  const { openapi, info, jsonSchemaDialect } = document as ContractDocument & { jsonSchemaDialect?: string }
  return {
    openapi,
    info: { title: info.title, version: info.version },
    ...(jsonSchemaDialect && { jsonSchemaDialect }),
    paths: { [path]: methods },
    components,
  } as ContractDocument
}

function writeOut(components: Record<string, Record<string, unknown>>, value: object): Record<string, unknown> {
  if ('$ref' in value && typeof value.$ref === 'string') {
    const { $ref, ...beside } = value
    const [, , kind = '', name = ''] = $ref.split('/')
    return { ...writeOut(components, components[kind]?.[name] as object), ...beside }
  }
  const copy: Record<string, unknown> = { ...value }
  if (typeof copy.schema === 'object' && copy.schema !== null) copy.schema = writeOut(components, copy.schema)
  if (typeof copy.items === 'object' && copy.items !== null) copy.items = writeOut(components, copy.items)
  return copy
}
