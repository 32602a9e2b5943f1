import type { MessageSubjectType } from '../../../client/contract.gen.ts'

/** The kinds of records that a message can be about, by the path parameter of their pages. */
const SUBJECT_BY_FIELD: Readonly<Record<string, MessageSubjectType>> = {
  vendorId: 'vendor',
  communityId: 'community',
  homeId: 'home',
  bidRequestId: 'bid_request',
  bidId: 'bid',
  contractId: 'contract',
  taskId: 'task',
  milestoneId: 'milestone',
  poId: 'purchase_order',
}

const SUBJECTS: readonly MessageSubjectType[] = [...Object.values(SUBJECT_BY_FIELD), 'webhook']

/** Returns the path of the form for a message about a record; null if messages cannot be about its kind. */
export function findComposePath(field: string, id: string): string | null {
  const type = SUBJECT_BY_FIELD[field]
  return type === undefined ? null : `/messages/new?about=${type}&id=${encodeURIComponent(id)}`
}

export function isMessageSubject(text: string | null): text is MessageSubjectType {
  return SUBJECTS.some((type) => type === text)
}
