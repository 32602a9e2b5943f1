import type { Contract, Schema } from './contract.ts'

/**
 * Returns the names of the fields that always contain a secret (`x-secret`). These fields are removed from values
 * without a known schema, such as rejected inputs and old events. Excludes names that also have another meaning, such
 * as `url`.
 */
export function getSecretNames({ document }: Pick<Contract, 'document'>): ReadonlySet<string> {
  let found = names.get(document)
  if (found === undefined) {
    found = collectSecretNames(document)
    names.set(document, found)
  }
  return found
}

const names = new WeakMap<object, ReadonlySet<string>>()

function collectSecretNames(document: Contract['document']): ReadonlySet<string> {
  const secret = new Set<string>()
  const plain = new Set<string>()
  const isSecret = (schema: Schema): boolean => {
    if (schema['x-secret'] === true) return true
    const [, , kind, name] = typeof schema.$ref === 'string' ? schema.$ref.split('/') : []
    const target = document.components[kind ?? '']?.[name ?? ''] as Schema | undefined
    return target !== undefined && isSecret(target)
  }
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, property] of Object.entries((value as Schema).properties ?? {})) {
      if (typeof property !== 'object' || property === null) continue
      ;(isSecret(property as Schema) ? secret : plain).add(name)
    }
    for (const [keyword, inner] of Object.entries(value)) if (!VALUE_KEYWORDS.has(keyword)) visit(inner)
  }
  visit(document.components.schemas)
  visit(document['x-skills'])
  return new Set([...secret].filter((name) => !plain.has(name)))
}

/** Keywords that contain values instead of schemas. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum'])

/** Returns the value without all fields that have one of these names, including nested fields. */
export function omitNamedFields(names: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => omitNamedFields(names, item))
  if (typeof value !== 'object' || value === null) return value
  const shown = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(shown.map(([name, inner]) => [name, omitNamedFields(names, inner)]))
}
