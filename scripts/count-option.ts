import { InvalidArgumentError } from 'commander'

/** Parses an option that is a count: an integer of at least 1. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return count
}
