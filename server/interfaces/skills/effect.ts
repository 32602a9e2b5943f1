import type { OperationObject } from '../../platform/calls/contract.ts'

/**
 * What running a skill does to what is there, as agents and the programs around them have to know before they run it.
 * The contract says so under `x-effect` wherever the method does not:
 *
 * - `reads`: nothing is changed
 * - `adds`: something new is made each time, and nothing that is there is touched
 * - `settles`: something is brought forward once, and nothing is lost
 * - `replaces`: what is there is overwritten or ends; a repeat finds it done
 * - `moves`: what is there is changed anew each time
 */
export type Effect = keyof typeof EFFECTS

interface Traits {
  readonly writes: boolean
  /** Whether it can replace or end what is there. */
  readonly destructive: boolean
  /** Whether a repeat with the same input changes nothing more. */
  readonly idempotent: boolean
  /** The same in words, for models that are shown a description and nothing else. */
  readonly said: string
}

export const EFFECTS = {
  reads: { writes: false, destructive: false, idempotent: true, said: '' },
  adds: { writes: true, destructive: false, idempotent: false, said: 'Each run adds.' },
  settles: { writes: true, destructive: false, idempotent: true, said: 'Safe to repeat.' },
  replaces: {
    writes: true,
    destructive: true,
    idempotent: true,
    said: 'Overwrites or ends; safe to repeat.',
  },
  moves: { writes: true, destructive: true, idempotent: false, said: 'Each run changes more.' },
} as const satisfies Record<string, Traits>

export function effectOf(method: string, { 'x-effect': stated, responses }: OperationObject): Effect {
  if (stated !== undefined) return stated
  if (method === 'GET') return 'reads'
  if (method !== 'POST') return 'replaces'
  // Of an action that says nothing, the worst is assumed.
  return '201' in responses ? 'adds' : 'moves'
}

/** The effect of a composite skill, of which the worst is assumed too. */
export function effectOfComposite(declared: { writes: boolean; 'x-effect'?: Effect }): Effect {
  return declared['x-effect'] ?? (declared.writes ? 'moves' : 'reads')
}
