import type { OperationObject } from '../../platform/calls/contract.ts'

/**
 * How a skill affects existing data, which agents and programs need to know before they run it. The contract declares
 * it under `x-effect` unless it follows from the method:
 *
 * - `reads`: changes nothing
 * - `adds`: creates something new each time, without changing existing records
 * - `settles`: advances something once, without losing data
 * - `replaces`: overwrites or ends existing data; a repeat changes nothing more
 * - `moves`: changes existing data again with each call
 */
export type SkillEffect = keyof typeof EFFECTS

interface EffectTraits {
  readonly writes: boolean
  /** Whether it can overwrite or end existing data. */
  readonly destructive: boolean
  /** Whether a repeat with the same input changes nothing more. */
  readonly idempotent: boolean
  /** The effect in words, for models that see only a description. */
  readonly said: string
}

export const EFFECTS = {
  reads: { writes: false, destructive: false, idempotent: true, said: '' },
  adds: { writes: true, destructive: false, idempotent: false, said: 'Adds data on each run.' },
  settles: { writes: true, destructive: false, idempotent: true, said: 'Safe to repeat.' },
  replaces: {
    writes: true,
    destructive: true,
    idempotent: true,
    said: 'Overwrites or ends data. Safe to repeat.',
  },
  moves: { writes: true, destructive: true, idempotent: false, said: 'Changes data on each run.' },
} as const satisfies Record<string, EffectTraits>

export function findOperationEffect(method: string, { 'x-effect': stated, responses }: OperationObject): SkillEffect {
  if (stated !== undefined) return stated
  if (method === 'GET') return 'reads'
  if (method !== 'POST') return 'replaces'
  // For an action without a declared effect, assume the worst.
  return '201' in responses ? 'adds' : 'moves'
}

/** Returns the effect of a composite skill. Here too, the worst is assumed. */
export function findCompositeEffect(declared: { writes: boolean; 'x-effect'?: SkillEffect }): SkillEffect {
  return declared['x-effect'] ?? (declared.writes ? 'moves' : 'reads')
}
