import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { actions } from './actions.gen.ts'

/** A name of the API in a description, such as `changePlanStatus`, with or without backticks. */
const NAME = /`?\b([a-z]+[A-Z][A-Za-z]*)\b`?/g

/** Returns a description of the contract in words: actions by their titles, and fields as the pages label them. */
export function toPlainWords(description: string): string {
  return description
    .replaceAll(NAME, (_, name: string) => {
      const action = actions[name]
      return action === undefined ? humanizeField(name) : `“${action.label}”`
    })
    .replaceAll('`', '')
}

/** Returns the first sentence of a description in the words of the pages. */
export function toFieldHint(description: string | undefined): string | undefined {
  return description === undefined ? undefined : toPlainWords(description).split(/(?<=\.)\s/)[0]
}
