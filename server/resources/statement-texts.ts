/**
 * The statements of one resource, each built when its shape first occurs and kept from then on. A shape says which
 * declared names occur in it, in an order of their own, and never a value. Still a list with ten filters can be asked in
 * thousands of ways: nobody's program asks in more than a few, so past the bound a text is built each time.
 */
export type StatementTexts = (shape: string, build: () => string) => string

const MOST_SHAPES = 500

export function statementTexts(): StatementTexts {
  const known = new Map<string, string>()
  return (shape, build) => {
    let text = known.get(shape)
    if (text === undefined) {
      text = build()
      if (known.size < MOST_SHAPES) known.set(shape, text)
    }
    return text
  }
}
