import type { BuyerChange, OwnerSignature, Selection } from '../../../client/contract.gen.ts'
import * as homes from '../../domain/land/homes/queries.ts'
import { createPdfResponse } from '../../domain/paying/documents/pdf-response.ts'
import { walkthroughDrawing } from '../../domain/quality/walkthroughs/walkthrough-document.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { createSignature } from '../../platform/values/signature.ts'
import { toSelectionName } from './overview-page.ts'
import { findOwnChange, findOwnSelection } from './own-records.ts'
import type { OwnerPage } from './owner-page.ts'

/**
 * Returns the signature of an owner who chose an option. The signed text contains everything that the page shows about
 * the choice, in the language of the page.
 */
export function signChoice(call: Call, place: OwnerPage, selection: Selection, signedBy: string): OwnerSignature {
  const { words, reader } = place
  const { location, color, option } = selection
  const facts = [
    [words.choice.price, formatPrice(place, selection.difference)],
    [words.choice.room, location],
    [words.choice.color, color],
    [words.choice.until, selection.deadline === null ? null : reader.longDate(selection.deadline)],
    [words.change.why, option?.description ?? null],
  ]
  return sign(call, place, {
    ...{
      title: toSelectionName(selection),
      lines: facts.flatMap(([label, value]) => (value ? `${label}: ${value}` : [])),
    },
    ...{ answer: words.choice.approve, signedBy },
  })
}

/**
 * Returns the signature of an owner who approved a change. The signed text contains all lines and prices of the change.
 */
export function signChange(call: Call, place: OwnerPage, change: BuyerChange, signedBy: string): OwnerSignature {
  const { words, reader } = place
  const { number, title, description, lines, price, currency } = change
  const about = description === null ? [] : [`${words.change.why}: ${description}`]
  return sign(call, place, {
    title: `${words.change.title(number)}: ${title}`,
    lines: [
      ...lines.map((line) => `${line.description}: ${formatPrice(place, line.price)}`),
      ...[`${words.change.total}: ${reader.money(price, currency)}`, ...about],
    ],
    ...{ answer: words.change.approve, signedBy },
  })
}

interface Signed {
  title: string
  lines: readonly string[]
  /** The text of the button with which the owner signed. */
  answer: string
  signedBy: string
}

function sign(call: Call, { words, reader, home, builder, vendor: owner }: OwnerPage, signed: Signed): OwnerSignature {
  const { title, lines, answer, signedBy } = signed
  const head = [title, `${home.name}, ${builder}`]
  const text = [head.join('\n'), lines.join('\n'), `${answer}\n${words.sign.consent(owner)}`].join('\n\n')
  const language = reader.words.language === 'es' ? 'es' : 'en'
  const signedAt = call.now.toISOString()
  const closing = words.sign.closing(signedBy, signedAt)
  return { ...createSignature({ text, signedBy, signedAt, recordedBy: call.actor, closing }), language }
}

function formatPrice({ words, reader, currency }: OwnerPage, price: number | null): string {
  if (price === null) return words.choice.noPrice
  return price === 0 ? words.choice.included : reader.money(price, currency)
}

/** Returns the signed text of a choice or change as a PDF. Throws `not_found` if the owner has not signed it. */
export async function createSignedPdf(call: Call, id: string): Promise<FileResponse> {
  const record = id.startsWith('sel_') ? await findOwnSelection(call, id) : await findOwnChange(call, id)
  const { signature, homeId, updatedAt: changedAt } = record
  if (signature === null) throw notFound()
  const [title = ''] = signature.text.split('\n', 1)
  const { name: home } = await homes.find(call, homeId)
  const sheet = { builder: call.principal.organization.name, home, text: signature.text, changedAt, signature }
  return createPdfResponse(call, `${title} ${home}.pdf`, sheet, walkthroughDrawing)
}
