import { CompiledQuery } from 'kysely'

/**
 * A statement with the same text at each call, because all that stands between its parts are values, each of them a
 * parameter: for the statements of operations that are called often. The text is put together once for each place in the
 * code, where Kysely's `sql`, which can hold fragments too, does it at each call; and it is one and the same string, by
 * which the prepared statement is found without reading it.
 */
export function fixed<Row>(parts: TemplateStringsArray, ...values: readonly unknown[]): CompiledQuery<Row> {
  let text = texts.get(parts)
  if (text === undefined) {
    text = parts.reduce((before, part, i) => `${before}$${i}${part}`)
    texts.set(parts, text)
  }
  return CompiledQuery.raw(text, values as unknown[]) as CompiledQuery<Row>
}

const texts = new WeakMap<TemplateStringsArray, string>()
