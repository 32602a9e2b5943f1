/**
 * The statements of one resource, each built when its shape first occurs and kept from then on. A shape says which
 * declared names occur in it and never a value, so there are only as many as the contract has ways to ask.
 */
export type StatementTexts = (shape: string, build: () => string) => string

export function statementTexts(): StatementTexts {
  const known = new Map<string, string>()
  return (shape, build) => {
    let text = known.get(shape)
    if (text === undefined) {
      text = build()
      known.set(shape, text)
    }
    return text
  }
}
