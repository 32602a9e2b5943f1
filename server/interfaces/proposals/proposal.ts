import type { BatchExecution, Proposal, ProposalOutcome } from '../../../client/contract.gen.ts'
import { type Call, type RecordedEvent, toReadTrackingCall, type WriteCall } from '../../platform/calls/call.ts'
import { canReadEventType } from '../../platform/events/readable-events.ts'
import { requireFreshSignIn } from '../../platform/keys/fresh-sign-in.ts'
import { conflict, invalidTransition, Problem } from '../../platform/problems/problem.ts'
import { RecordReads } from '../../platform/resources/record-reads.ts'
import { assertNoSecretReferences, executeBatch } from '../skills/execute-batch.ts'
import { concealResultSecrets, executeSkill, listReadableEvents } from '../skills/execute-skill.ts'
import { fillCurrentTime, hasSecret } from '../skills/marks.ts'
import { replaceResolvedNames } from '../skills/references/resolve-references.ts'
import { assertSkillPermitted, getSkillCatalog, type PublishedResult } from '../skills/skill-catalog.ts'
import { type Basis, buildProposalBasis, findBasisDifferences, formatBasisValue } from './basis.ts'
import { findChangesSince, findProposalBasis, storeProposalBasis } from './basis-queries.ts'
import { notifyProposal } from './notify-proposal.ts'
import { BATCH, listProposalSkills, listProposalSteps } from './proposal-skills.ts'
import * as proposals from './queries.ts'

/**
 * The time for which a proposal can be approved, in milliseconds. Prices and users change, so after a week the change
 * must be proposed again.
 */
const LIFETIME_MS = 7 * 24 * 3_600_000

/**
 * The maximum size of a stored outcome. A record with its events needs about a tenth of this size. Larger outcomes
 * contain hundreds of records, which no approver would read.
 */
const MAX_KEPT_BYTES = 256 * 1024

interface ProposedRun {
  skill: string
  input: Record<string, unknown>
  note?: string | null | undefined
}

/** The outcome of a proposal's run. */
export interface ProposalRun {
  outcome: ProposalOutcome
  basis: Basis
  /** The input, with IDs in place of names. */
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
  await storeProposalBasis(call, proposal.id, basis)
  return notifyProposal(call, proposal)
}

/** Throws if an input contains a secret or a reference that would copy a secret. */
function assertNoSecrets(call: Call, proposed: Pick<Proposal, 'skill' | 'input'>): void {
  const { skills } = getSkillCatalog(call.services.contract)
  const steps = listProposalSteps(proposed)
  const isSecret = steps.some(({ skill, input }) =>
    hasSecret(skills.find(({ name }) => name === skill)?.marks.input ?? null, input),
  )
  if (isSecret)
    throw conflict(
      'not_suitable',
      'Other users can read proposals, so the input cannot contain secrets or tax IDs. Remove the secrets and tax IDs from the input.',
    )
  assertNoSecretReferences(call, steps)
}

/** Throws `permission_denied` unless the caller may run the proposed skills. */
export function assertCanReadProposal(call: Call, proposal: Pick<Proposal, 'skill' | 'input'>): void {
  const { find } = getSkillCatalog(call.services.contract)
  for (const name of listProposalSkills(proposal)) assertSkillPermitted(call, find(name))
}

/**
 * Returns the result and the events of a skill. Leaves out values that are shown only once, because the approval
 * creates new ones.
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

/** Removes the secrets from a skill's result, because proposals are stored and other users read them. */
function nullSecretsOfSteps(call: Call, skill: string, result: unknown): unknown {
  const { find } = getSkillCatalog(call.services.contract)
  if (skill !== BATCH) return concealResultSecrets(find(skill), result as PublishedResult)
  const batch = result as BatchExecution
  const steps = batch.steps.map((step) => ({ ...step, result: concealResultSecrets(find(step.skill), step.result) }))
  return { ...batch, steps }
}

/** Runs the proposed skill as the caller. The caller must have every permission that the skill requires. */
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
  const result = await work(toReadTrackingCall(call, reads))
  const events = call.events.slice(before)
  return {
    outcome: toProposalOutcome(call, skill, result, events),
    basis: buildProposalBasis(call, reads, result, events),
    input: fillTimes(call, skill, replaceResolvedNames(input, reads)),
  }
}

/**
 * Returns the input with the current time in each field that defaults to the time of the request. An approved change
 * therefore uses the time of the proposal, which the approver saw.
 */
function fillTimes(call: Call, skill: string, input: Record<string, unknown>): Record<string, unknown> {
  const { find } = getSkillCatalog(call.services.contract)
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

/** Throws `conflict` if the new outcome differs from the outcome that the proposal shows. */
export async function assertOutcomeUnchanged(call: WriteCall, proposal: Proposal, now: Basis): Promise<void> {
  const { id, createdAt, createdBy } = proposal
  const shown = await findProposalBasis(call, id)
  if (shown === null)
    throw conflict(
      'changed_meanwhile',
      `Cannot approve ${id}: it was created by an earlier version of the service. Create the proposal again.`,
    )
  const found = findBasisDifferences(shown, now, new Set([createdBy.id, call.actor.id]))
  if (found.length === 0) return
  const records = found.flatMap(({ resourceId }) => resourceId ?? [])
  const reported = await findChangesSince(call, records, createdAt)
  const fields = reported
    .filter(({ type, field }) => canReadEventType(call, type) && !ALWAYS_CHANGED.has(field))
    .map(({ resourceId, field, before, after }) => ({
      ...{ resourceId, field },
      ...{ before: formatBasisValue(before), after: formatBasisValue(after) },
    }))
  const explained = new Set(fields.map(({ resourceId }) => resourceId))
  const others = found.filter(({ resourceId }) => resourceId === null || !explained.has(resourceId))
  const changed = [...fields, ...others].slice(0, MAX_CHANGES)
  throw conflict(
    'changed_meanwhile',
    `Cannot approve ${id}: the records that the proposal is based on have changed. Check the changes, then create the proposal again or reject it.`,
    { changed },
  )
}

const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['version', 'updatedAt'])
/** The maximum number of changes in the problem. The contract declares the same limit. */
const MAX_CHANGES = 100

async function runSkill(call: WriteCall, skill: string, input: Record<string, unknown>): Promise<unknown> {
  if (skill === BATCH) return executeBatch(call, { steps: listProposalSteps({ skill, input }), dryRun: false })
  const { result } = await executeSkill(call, { skill, input, dryRun: false })
  return result
}

/**
 * Throws `permission_denied` for an API key that may only propose changes. Such a key could otherwise approve its own
 * proposals.
 */
export function assertCanDecideProposals({ principal }: Call): void {
  if (principal.isProposeOnly === true)
    throw new Problem('permission_denied', 'A key with proposeOnly cannot decide on proposals. Ask a user to decide.')
}

/**
 * Throws `permission_denied` if the caller created the proposal, because an approval means that another person has
 * reviewed it. An exception is a proposal that an app made on the user's behalf: the user did not decide to make it and
 * may approve it. The user must have signed in recently, to prove that the app is not the approver. Otherwise, throws
 * `fresh_sign_in_required`.
 */
export function assertProposedByAnother(call: Call, { createdBy }: Proposal): void {
  const { actor, principal } = call
  if (actor.type !== createdBy.type || actor.id !== createdBy.id) return
  if (createdBy.via == null || !('session' in principal))
    throw new Problem(
      'permission_denied',
      'You cannot approve your own proposal. Ask another user, or reject the proposal and run the skill yourself.',
    )
  requireFreshSignIn(call)
}

/** Throws `invalid_transition` if the proposal has been decided or has expired. */
export function assertProposalPending({ status, expiresAt }: Proposal, to: Proposal['status'], now: Date): void {
  if (status !== 'proposed') throw invalidTransition(status, to, [])
  if (Date.parse(expiresAt) <= now.getTime()) throw invalidTransition('expired', to, [])
}

/** Throws `conflict` if the skill only reads, because such a skill needs no approval. */
export function assertSkillWrites(call: Call, skill: string): void {
  const found = getSkillCatalog(call.services.contract).find(skill)
  assertSkillPermitted(call, found)
  if (!found.writes)
    throw conflict(
      'already_done',
      `Cannot propose ${skill}: the skill is read-only and needs no approval. Run the skill directly.`,
    )
}
