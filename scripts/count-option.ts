import { InvalidArgumentError } from 'commander'

/** Reads an option that says how many: a whole number from one on. */
export function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It is not a whole number from 1 on.')
  return count
}
