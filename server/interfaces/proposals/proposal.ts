import type { BatchExecution, Proposal, ProposalOutcome } from '../../../client/contract.gen.ts'
import { type Call, type RecordedEvent, type WriteCall, withReadNotes } from '../../platform/calls/call.ts'
import { canReadType } from '../../platform/events/readable-events.ts'
import { requireFreshSignIn } from '../../platform/keys/fresh-sign-in.ts'
import { conflict, invalidTransition, Problem } from '../../platform/problems/problem.ts'
import { RecordReads } from '../../platform/resources/record-reads.ts'
import { assertNoSecretReferences, executeBatch } from '../skills/execute-batch.ts'
import { executeSkill, listReadableEvents, nullSecretsOf } from '../skills/execute-skill.ts'
import { fillCurrentTime, hasSecret } from '../skills/marks.ts'
import { replaceResolvedNames } from '../skills/references/resolve-references.ts'
import { assertSkillPermitted, findCatalog, type PublishedResult } from '../skills/skill-catalog.ts'
import { type Basis, buildBasis, findDifferences, toText } from './basis.ts'
import { findBasis, findChangesSince, storeBasis } from './basis-queries.ts'
import { notifyProposal } from './notify-proposal.ts'
import { BATCH, listProposalSkills, listProposalSteps } from './proposal-skills.ts'
import * as proposals from './queries.ts'

/** Prices and users change. After a week a change has to be proposed again. */
const LIFETIME_MS = 7 * 24 * 3_600_000

/** A record and its events need a tenth of this. Larger outcomes concern hundreds of records, which nobody reads. */
const MAX_KEPT_BYTES = 256 * 1024

interface ProposedRun {
  skill: string
  input: Record<string, unknown>
  note?: string | null | undefined
}

/** The outcome of running a proposal. */
export interface ProposalRun {
  outcome: ProposalOutcome
  basis: Basis
  /** The input with each name replaced by an ID. */
  input: Record<string, unknown>
}

/** Stores the outcome of the trial run as a proposal. */
export async function storeProposal(
  call: WriteCall,
  requested: ProposedRun,
  { outcome, basis, input }: ProposalRun,
): Promise<Proposal> {
  const expiresAt = new Date(call.now.getTime() + LIFETIME_MS).toISOString()
  const proposal = await proposals.insert(call, { ...requested, input, status: 'proposed', outcome, expiresAt })
  await storeBasis(call, proposal.id, basis)
  return notifyProposal(call, proposal)
}

/** Throws if an input contains a secret or would copy one. */
function assertNoSecrets(call: Call, proposed: Pick<Proposal, 'skill' | 'input'>): void {
  const { skills } = findCatalog(call.services.contract)
  const steps = listProposalSteps(proposed)
  const isSecret = steps.some(({ skill, input }) =>
    hasSecret(skills.find(({ name }) => name === skill)?.marks.input ?? null, input),
  )
  if (isSecret)
    throw conflict(
      'not_suitable',
      'Other users can read proposals, so the input cannot contain secrets or tax IDs. Leave them out.',
    )
  assertNoSecretReferences(call, steps)
}

/** Throws `permission_denied` unless the caller may run the proposed skills. */
export function assertCanRead(call: Call, proposal: Pick<Proposal, 'skill' | 'input'>): void {
  const { find } = findCatalog(call.services.contract)
  for (const name of listProposalSkills(proposal)) assertSkillPermitted(call, find(name))
}

/**
 * Returns the result and the events of a skill, without values that are shown only once, because the approver gets a
 * new value.
 */
function toProposalOutcome(
  call: Call,
  skill: string,
  result: unknown,
  events: readonly RecordedEvent[],
): ProposalOutcome {
  const stored: ProposalOutcome = {
    result: (nullSecretsOfSteps(call, skill, result) ?? null) as ProposalOutcome['result'],
    events: listReadableEvents(call, events),
    truncated: false,
  }
  if (Buffer.byteLength(JSON.stringify(stored)) <= MAX_KEPT_BYTES) return stored
  return { result: null, events: [], truncated: true }
}

/** Removes the secrets of a skill's result, because proposals are stored and read by others. */
function nullSecretsOfSteps(call: Call, skill: string, result: unknown): unknown {
  const { find } = findCatalog(call.services.contract)
  if (skill !== BATCH) return nullSecretsOf(find(skill), result as PublishedResult)
  const batch = result as BatchExecution
  const steps = batch.steps.map((step) => ({ ...step, result: nullSecretsOf(find(step.skill), step.result) }))
  return { ...batch, steps }
}

/** Runs the proposed skill as the caller, who needs every permission for it. */
export function runProposal(
  call: WriteCall,
  { skill, input }: Pick<Proposal, 'skill' | 'input'>,
): Promise<ProposalRun> {
  return runAndCollectBasis(call, { skill, input }, (call) => runSkill(call, skill, input))
}

/** Runs the proposed skill, and returns its outcome and basis. */
export async function runAndCollectBasis(
  call: WriteCall,
  proposed: Pick<Proposal, 'skill' | 'input'>,
  work: (call: WriteCall) => Promise<unknown>,
): Promise<ProposalRun> {
  assertNoSecrets(call, proposed)
  const { skill, input } = proposed
  const reads = new RecordReads()
  const before = call.events.length
  const result = await work(withReadNotes(call, reads))
  const events = call.events.slice(before)
  return {
    outcome: toProposalOutcome(call, skill, result, events),
    basis: buildBasis(call, reads, result, events),
    input: fillTimes(call, skill, replaceResolvedNames(input, reads)),
  }
}

/**
 * Returns the input with the current time wherever the skill would use the time of the request. What is approved later
 * happens at the time when it was proposed, which is also what the approver was shown.
 */
function fillTimes(call: Call, skill: string, input: Record<string, unknown>): Record<string, unknown> {
  const { find } = findCatalog(call.services.contract)
  if (skill !== BATCH) return fillCurrentTime(find(skill).marks.input, input, call.now)
  const steps = listProposalSteps({ skill, input })
  return {
    ...input,
    steps: steps.map((step) => ({
      ...step,
      input: fillCurrentTime(find(step.skill).marks.input, step.input, call.now),
    })),
  }
}

/** Throws `conflict` if the outcome differs from the one shown when it was proposed. */
export async function assertUnchanged(call: WriteCall, proposal: Proposal, now: Basis): Promise<void> {
  const { id, createdAt, createdBy } = proposal
  const shown = await findBasis(call, id)
  if (shown === null)
    throw conflict(
      'changed_meanwhile',
      `Cannot approve ${id}: it was created by an earlier version of the service. Propose it again.`,
    )
  const found = findDifferences(shown, now, new Set([createdBy.id, call.actor.id]))
  if (found.length === 0) return
  const records = found.flatMap(({ resourceId }) => resourceId ?? [])
  const reported = await findChangesSince(call, records, createdAt)
  const fields = reported
    .filter(({ type, field }) => canReadType(call, type) && !ALWAYS_CHANGED.has(field))
    .map(({ resourceId, field, before, after }) => ({
      ...{ resourceId, field },
      ...{ before: toText(before), after: toText(after) },
    }))
  const explained = new Set(fields.map(({ resourceId }) => resourceId))
  const others = found.filter(({ resourceId }) => resourceId === null || !explained.has(resourceId))
  const changed = [...fields, ...others].slice(0, MAX_CHANGES)
  throw conflict(
    'changed_meanwhile',
    `Cannot approve ${id}: the records it is based on have changed. Check the changes, then propose it again or reject it.`,
    { changed },
  )
}

const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['version', 'updatedAt'])
/** The contract has the same bound. */
const MAX_CHANGES = 100

async function runSkill(call: WriteCall, skill: string, input: Record<string, unknown>): Promise<unknown> {
  if (skill === BATCH) return executeBatch(call, { steps: listProposalSteps({ skill, input }), dryRun: false })
  const { result } = await executeSkill(call, { skill, input, dryRun: false })
  return result
}

/** Throws `permission_denied` for a key that may only propose, because it would approve its own proposals. */
export function assertCanDecide({ principal }: Call): void {
  if (principal.isProposeOnly === true)
    throw new Problem('permission_denied', 'A key with proposeOnly cannot decide proposals. Ask a user to decide.')
}

/**
 * Throws `permission_denied` if the caller created the proposal: an approval means that a second user has reviewed it.
 * A user may personally approve what an app proposed on their behalf, because the app decided it. A fresh sign-in
 * proves that it is the user and not the app; without one, throws `fresh_sign_in_required`.
 */
export function assertProposedByAnother(call: Call, { createdBy }: Proposal): void {
  const { actor, principal } = call
  if (actor.type !== createdBy.type || actor.id !== createdBy.id) return
  if (createdBy.via == null || !('session' in principal))
    throw new Problem(
      'permission_denied',
      'You cannot approve your own proposal. Ask a colleague, or reject it and run the skill yourself.',
    )
  requireFreshSignIn(call)
}

/** Throws `invalid_transition` for a proposal that is decided or expired. */
export function assertPending({ status, expiresAt }: Proposal, to: Proposal['status'], now: Date): void {
  if (status !== 'proposed') throw invalidTransition(status, to, [])
  if (Date.parse(expiresAt) <= now.getTime()) throw invalidTransition('expired', to, [])
}

/** Throws `conflict` for a skill that only reads, which needs no approval. */
export function assertWrites(call: Call, skill: string): void {
  const found = findCatalog(call.services.contract).find(skill)
  assertSkillPermitted(call, found)
  if (!found.writes) throw conflict('already_done', `${skill} is read-only and needs no approval. Run it directly.`)
}
