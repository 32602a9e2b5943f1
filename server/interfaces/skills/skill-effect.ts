import type { OperationObject } from '../../platform/calls/contract.ts'

/**
 * The effect of a skill on data. Agents and programs must know the effect before they run the skill. The contract
 * declares it under `x-effect`, unless the HTTP method implies it:
 *
 * - `reads`: changes nothing
 * - `adds`: creates new records with each call, without changing existing ones
 * - `settles`: changes the state of a record once, without losing data
 * - `replaces`: overwrites or ends existing data; repeating the call makes no further changes
 * - `moves`: changes existing data again with each call
 */
export type SkillEffect = keyof typeof EFFECTS

interface EffectTraits {
  readonly writes: boolean
  /** Whether the skill can overwrite or end existing data. */
  readonly destructive: boolean
  /** Whether repeating the skill with the same input makes no further changes. */
  readonly idempotent: boolean
  /** A description of the effect, for models that read only descriptions. */
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
    said: 'Overwrites or removes data. Safe to repeat.',
  },
  moves: { writes: true, destructive: true, idempotent: false, said: 'Changes data on each run.' },
} as const satisfies Record<string, EffectTraits>

export function findOperationEffect(method: string, { 'x-effect': stated, responses }: OperationObject): SkillEffect {
  if (stated !== undefined) return stated
  if (method === 'GET') return 'reads'
  if (method !== 'POST') return 'replaces'
  // Assumes the most destructive effect if the contract declares none.
  return '201' in responses ? 'adds' : 'moves'
}

/** Returns the effect of a composite skill. Assumes the most destructive effect if the contract declares none. */
export function findCompositeEffect(declared: { writes: boolean; 'x-effect'?: SkillEffect }): SkillEffect {
  return declared['x-effect'] ?? (declared.writes ? 'moves' : 'reads')
}
