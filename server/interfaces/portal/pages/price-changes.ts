import type { PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { isEmptyAlternate, type PriceForm } from '../forms/price-form.ts'
import type { PageContext } from './page-context.ts'

/**
 * Returns the names and values of the saved entries that differ from the submitted ones. If two users have the same
 * form open, the second one to save sees the other user's entries before replacing them.
 */
export function listEntryChanges(
  { reader }: PageContext,
  { request }: PortalBidInvitation,
  typed: PriceForm,
  saved: PriceForm,
): (readonly [name: string, value: string])[] {
  const words = reader.words.bid
  const offers = { '': '', excluded: words.notIncluded, alternate: words.alternate }
  const lines = saved.lines.flatMap((line, i) => {
    const other = typed.lines[i]
    const isSame = other?.price === line.price && other.offer === line.offer && other.note === line.note
    const value = [offers[line.offer], line.price, line.note].filter((part) => part !== '').join(' · ')
    return isSame ? [] : [[request.lines[i]?.description ?? '', value === '' ? words.empty : value] as const]
  })
  const others = (
    [
      ['amount', words.lumpSumFor],
      ['leadTimeDays', words.canStart],
      ['durationDays', words.takes],
      ['validUntil', words.validUntil],
      ['exclusions', words.exclusions],
      ['inclusions', words.inclusions],
      ['note', words.remark],
    ] as const
  ).flatMap(([name, label]) =>
    saved[name] === typed[name] ? [] : [[label, saved[name] === '' ? words.empty : saved[name]] as const],
  )
  const alternates = saved.alternates.flatMap((alternate, i) => {
    const other = typed.alternates[i]
    const isSame =
      other?.description === alternate.description &&
      other.amount === alternate.amount &&
      other.effect === alternate.effect &&
      other.note === alternate.note
    const shown = [alternate.description, words[alternate.effect], alternate.amount, alternate.note]
    const value = isEmptyAlternate(alternate) ? words.empty : shown.filter((part) => part !== '').join(' · ')
    return isSame || (other === undefined && isEmptyAlternate(alternate))
      ? []
      : [[words.alternateNumber(i + 1), value] as const]
  })
  return [...lines, ...alternates, ...others]
}
