import type { Home } from '../../../client/contract.gen.ts'
import { escapeHtml, renderNote } from '../portal/pages/html.ts'
import { type PageContext, renderPortalPage } from '../portal/pages/page-context.ts'
import { english, type OwnerWords } from './words/english.ts'
import { spanish } from './words/spanish.ts'

/** The context of a home owner's page. `vendor` contains the name of the home owner. */
export interface OwnerPage extends PageContext {
  home: Home
  words: OwnerWords
  /** The time zone of the community. `today` is the current date there. */
  timeZone: string
  today: string
  currency: string
}

export function chooseWords({ reader }: Pick<PageContext, 'reader'>): OwnerWords {
  return reader.words.language === 'es' ? spanish : english
}

export function renderOwnerPage(place: OwnerPage, title: string, content: string): string {
  return renderPortalPage({ ...place, returned: null }, title, renderReturnedNote(place) + content)
}

/** Renders the reason why a form was not accepted. */
function renderReturnedNote({ returned, reader, words }: OwnerPage): string {
  if (returned === null) return ''
  const [title = '', message = ''] = reader.words.notices[returned.notice]
  const sentences: Readonly<Record<string, string>> = words.conflicts
  const sentence = returned.reason === null ? undefined : (sentences[returned.reason] ?? words.conflicts.other)
  return `${renderNote('bad', title, escapeHtml(sentence ?? message))}\n`
}
