import type { ResolvedTakeoffLine } from '../../../../client/contract.gen.ts'
import { listRequiredOptionIds, type OptionLinks } from '../options/option-links.ts'

/** A selected option with its quantity. */
export interface ChosenOption extends OptionLinks {
  readonly code: string
  readonly quantity: number
}

/** The lines that a selected option adds to a home, and those that it removes. */
export interface ChosenLines {
  readonly option: ChosenOption
  readonly own: readonly ResolvedTakeoffLine[]
  readonly takenOut: readonly ResolvedTakeoffLine[]
}

/**
 */
/** Thrown if options cannot be combined. The message is a complete sentence. */
export class ChoiceError extends Error {
  /** The same message for `errors`, as a predicate about the field that contains the options. */
  readonly ofField: string

  constructor(sentence: string, ofField: string) {
    super(sentence)
    this.ofField = ofField
  }
}

/**
 * Returns the lines that each selected option adds and removes. Each option is listed after the options that it
 * requires. Lines of an option replace lines of the options that it requires. If two unrelated options replace the same
 * line of the plan, throws ChoiceError, because the buyer would otherwise pay for work that is not built.
 */
export function applyOptions(
  base: readonly ResolvedTakeoffLine[],
  options: readonly { option: ChosenOption; lines: readonly ResolvedTakeoffLine[] }[],
): ChosenLines[] {
  const links = new Map(options.map(({ option }) => [option.id, option]))
  const codes = new Map(options.map(({ option }) => [option.id, option.code]))
  const required = new Map(options.map(({ option }) => [option.id, listRequiredOptionIds(option.id, links)]))
  const ordered = [...options].sort(
    (one, other) => (required.get(one.option.id)?.size ?? 0) - (required.get(other.option.id)?.size ?? 0),
  )
  const ofHouse = new Set(base.map(({ lineId }) => lineId))
  const standing = new Map(base.map((line) => [line.lineId, line]))
  return ordered.map(({ option, lines }) => {
    const own: ResolvedTakeoffLine[] = []
    const takenOut: ResolvedTakeoffLine[] = []
    for (const line of lines) {
      const there = standing.get(line.lineId)
      const isReplaced =
        there !== undefined && (there.optionId === null || required.get(option.id)?.has(there.optionId))
      if (there !== undefined && !isReplaced && ofHouse.has(line.lineId)) {
        const other = codes.get(there.optionId ?? '')
        throw new ChoiceError(
          `${other} and ${option.code} both replace line ${line.lineId} of the takeoff.`,
          `must not contain both ${other} and ${option.code}, which replace the same line (${line.lineId})`,
        )
      }
      const whole = { ...line, replaces: isReplaced === true ? there.source : null }
      own.push(whole)
      if (isReplaced === true) takenOut.push(there)
      if (there === undefined || isReplaced) standing.set(line.lineId, whole)
    }
    return { option, own, takenOut }
  })
}
