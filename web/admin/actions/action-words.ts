import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { actions } from './actions.gen.ts'

/** Matches an API name in a description, such as `changePlanStatus`, with or without backticks. */
const NAME = /`?\b([a-z]+[A-Z][A-Za-z]*)\b`?/g

/**
 * Replaces API names in a description from the contract: actions with their titles, and fields with the labels on the
 * pages.
 */
export function toPlainWords(description: string): string {
  return description
    .replaceAll(NAME, (_, name: string) => {
      const action = actions[name]
      return action === undefined ? humanizeField(name) : `“${action.label}”`
    })
    .replaceAll('`', '')
}

/** Returns the first sentence of a description, with API names replaced by the words of the pages. */
export function toFieldHint(description: string | undefined): string | undefined {
  return description === undefined ? undefined : toPlainWords(description).split(/(?<=\.)\s/)[0]
}
