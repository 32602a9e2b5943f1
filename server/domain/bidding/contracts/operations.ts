import type { Contract, FieldError } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers, Input } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatList } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { activateContract, lockContract, terminateContract } from './change-contract.ts'
import { CONTRACT_MOVES, findTermErrors, formatContractName, listFixedContractFieldErrors } from './contract.ts'
import { bumpBidVersion, fillTermsFromBid } from './fill-terms-from-bid.ts'
import * as contracts from './queries.ts'
import { resolveContractTerms } from './resolve-contract-terms.ts'

export const contractOperations = {
  async listContracts({ query }, call) {
    return { status: 200, body: await contracts.list(call, query) }
  },

  async createContract({ query, body }, call) {
    return { status: 201, body: await call.write((call) => createContract(call, body, query.createScopes)) }
  },

  async getContract({ path }, call) {
    return { status: 200, body: await contracts.find(call, path.contractId) }
  },

  async updateContract({ path, query, body, ifMatch }, call) {
    const provided = { body, ifMatch, createScopes: query.createScopes }
    return { status: 200, body: await call.write((call) => updateContract(call, path.contractId, provided)) }
  },

  async archiveContract({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await lockContract(call, path.contractId)
      assertIfMatch(ifMatch, before)
      if (before.status === 'active')
        throw conflict(
          'wrong_status',
          `Cannot archive ${formatContractName(before)}: it is active. Terminate it first.`,
        )
      const after = await contracts.archive(call, before)
      if (after === before) return
      await bumpBidVersion(call, after)
      await recordEvent(call, 'contract.updated', after, before)
    })
    return { status: 204 }
  },

  async changeContractStatus({ path, body }, call) {
    const { status, reason = null, endPrevious } = body
    const contract = await call.write(async (call) => {
      const before = await lockContract(call, path.contractId)
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot change the status of ${formatContractName(before)}: it is archived.`)
      assertTransition(CONTRACT_MOVES, before.status, status)
      return status === 'active'
        ? activateContract(call, before, { endPrevious, reason })
        : terminateContract(call, before, reason)
    })
    return { status: 200, body: contract }
  },

  async draftContractRevision({ path, body }, call) {
    return { status: 201, body: await call.write((call) => reviseContract(call, path.contractId, body)) }
  },
} satisfies Partial<Handlers>

async function createContract(
  call: WriteCall,
  body: Checked['ContractCreate'],
  createScopes: boolean | undefined,
): Promise<Contract> {
  const provided = body.bidId == null ? body : await fillTermsFromBid(call, body.bidId, body)
  const { vendorId, scope, effectiveDate, expirationDate = null, lines = [], lumpSums = [] } = provided
  const { contractType = lumpSums.length > 0 ? 'turnkey' : 'unit_price' } = provided
  const agreed = contractType === 'turnkey' ? 'lumpSums' : 'lines'
  if (vendorId === undefined || scope === undefined || effectiveDate === undefined || provided[agreed] === undefined)
    throw validationFailed(findMissingFields(provided, agreed))
  const vendor = await vendors.findOptional(call, vendorId)
  if (vendor === undefined) throw unknownReference(['/vendorId'])
  const terms = { ...provided, vendorId, scope, contractType, effectiveDate, expirationDate }
  const whole = await resolveContractTerms(call, { ...terms, lines, lumpSums })
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot create a contract: ${vendor.companyName} is archived.`)
  const { retainagePercent = vendor.defaultRetainagePercent } = provided
  return insertContract(call, {
    ...{ ...terms, ...whole, retainagePercent, revision: 1, status: 'draft' },
    scope: await scopes.requireTrade(call, scope, createScopes),
    number: await contracts.takeNextNumber(call),
  })
}

function findMissingFields(body: Checked['ContractCreate'], agreed: 'lines' | 'lumpSums'): FieldError[] {
  const needed = ['vendorId', 'scope', 'effectiveDate', agreed] as const
  return needed
    .filter((field) => body[field] === undefined)
    .map((field) => ({ pointer: `/${field}`, code: 'required', message: 'is required unless bidId is set' }))
}

async function insertContract(call: WriteCall, values: Parameters<typeof contracts.insert>[1]): Promise<Contract> {
  const contract = await contracts.insert(call, values)
  await recordStatusChange(call, { id: contract.id, from: null, to: contract.status })
  await recordEvent(call, 'contract.created', contract)
  await bumpBidVersion(call, contract)
  return contract
}

interface ContractChange<Body> {
  body: Body
  ifMatch: string | undefined
  createScopes: boolean | undefined
}

async function updateContract(
  call: WriteCall,
  id: string,
  { body, ifMatch, createScopes }: ContractChange<Checked['ContractUpdate']>,
): Promise<Contract> {
  const before = await lockContract(call, id)
  assertIfMatch(ifMatch, before)
  const fixed = listFixedContractFieldErrors(before, body)
  if (fixed.length > 0) {
    const names = formatList(fixed.map(({ pointer }) => pointer.slice(1)))
    throw conflict(
      'wrong_status',
      `${names} can only be changed while the contract is a draft. ${formatContractName(before)} is ${before.status}.`,
      { errors: fixed },
    )
  }
  if (before.status !== 'draft') {
    const { notes, accountingId, externalId } = body
    return storeUpdate(call, before, { notes, accountingId, externalId })
  }
  const scope = body.scope === undefined ? before.scope : await scopes.requireTrade(call, body.scope, createScopes)
  const { contractType = before.contractType, communityIds = before.communityIds, planIds = before.planIds } = body
  const { effectiveDate = before.effectiveDate, expirationDate = before.expirationDate } = body
  const { lines = before.lines, lumpSums = before.lumpSums } = body
  const terms = { scope, contractType, communityIds, planIds, effectiveDate, expirationDate, lines, lumpSums }
  return storeUpdate(call, before, { ...body, scope, ...(await resolveContractTerms(call, terms, before.lumpSums)) })
}

async function storeUpdate(
  call: WriteCall,
  before: Contract,
  changes: Parameters<typeof contracts.update>[2],
): Promise<Contract> {
  const after = await contracts.update(call, before, changes)
  if (after.version !== before.version) await recordEvent(call, 'contract.updated', after, before)
  return after
}

async function reviseContract(
  call: WriteCall,
  id: string,
  body: Input<'draftContractRevision'>['body'],
): Promise<Contract> {
  const before = await lockContract(call, id)
  if (before.archivedAt !== null)
    throw conflict('archived', `Cannot revise ${formatContractName(before)}: it is archived.`)
  const revisions = await contracts.listRevisions(call, before.number)
  const later = revisions.find(({ revision, isArchived }) => revision > before.revision && !isArchived)
  if (later !== undefined)
    throw conflict(
      'already_done',
      `Cannot revise ${before.number}: it already has revision ${later.revision} (${later.id}).`,
    )
  if (before.status !== 'active' && before.status !== 'expired') {
    const instead = before.status === 'draft' ? 'Change it with updateContract.' : 'Create a new contract.'
    throw conflict(
      'wrong_status',
      `Cannot revise ${formatContractName(before)}: it is ${describeStatus(before.status)}. ${instead}`,
    )
  }
  const { effectiveDate, expirationDate = before.expirationDate } = body
  const errors = findTermErrors({ ...before, effectiveDate, expirationDate })
  if (errors.length > 0) throw validationFailed(errors)
  const {
    id: _,
    version,
    createdBy,
    createdAt,
    updatedAt,
    archivedAt,
    activatedAt,
    endedAt,
    accountingId,
    externalId,
    ...terms
  } = before
  const revision = Math.max(...revisions.map(({ revision }) => revision)) + 1
  return insertContract(call, { ...terms, effectiveDate, expirationDate, revision, status: 'draft' })
}
