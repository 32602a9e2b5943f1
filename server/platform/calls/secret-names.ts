import type { Contract, Schema } from './contract.ts'

/**
 * The names of the fields that hold a secret wherever they occur (`x-secret`), for values of which no schema is known:
 * an input that was refused, an old event. A name that also stands for something else, such as `url`, is not among them.
 */
export function secretNames({ document }: Pick<Contract, 'document'>): ReadonlySet<string> {
  let found = names.get(document)
  if (found === undefined) {
    found = namesIn(document)
    names.set(document, found)
  }
  return found
}

const names = new WeakMap<object, ReadonlySet<string>>()

function namesIn(document: Contract['document']): ReadonlySet<string> {
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
    for (const [keyword, inner] of Object.entries(value)) if (!VALUES.has(keyword)) visit(inner)
  }
  visit(document.components.schemas)
  visit(document['x-skills'])
  return new Set([...secret].filter((name) => !plain.has(name)))
}

/** Keywords below which there are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum'])

/** The value without the fields of these names, however deep. */
export function withoutNamed(names: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNamed(names, item))
  if (typeof value !== 'object' || value === null) return value
  const shown = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(shown.map(([name, inner]) => [name, withoutNamed(names, inner)]))
}
