import type { FieldError, Home, VendorNotificationCreate } from '../../../../client/contract.gen.ts'

/** The subject of a vendor notification: a task, other work on a home on one day, or the deadline of a bid request. */
export type NoticeSubject =
  | { homeId: string; date: string; bidRequestId?: undefined; taskId?: undefined }
  | { bidRequestId: string; homeId?: undefined; taskId?: undefined }
  | { taskId: string; bidRequestId?: undefined; homeId?: undefined }

/** Returns the subject of the notification, or errors if the fields cannot be combined. */
export function readNoticeSubject(body: VendorNotificationCreate): NoticeSubject | FieldError[] {
  const { kind, taskId, bidRequestId, homeId, date } = body
  const errors: FieldError[] = []
  if (taskId !== undefined) {
    for (const [field, value] of Object.entries({ bidRequestId, homeId, date })) {
      if (value === undefined) continue
      errors.push({ pointer: `/${field}`, code: 'exclusive', message: 'cannot be combined with taskId' })
    }
    return errors.length > 0 ? errors : { taskId }
  }
  if (bidRequestId !== undefined && homeId !== undefined) {
    errors.push({ pointer: '/bidRequestId', code: 'exclusive', message: 'cannot be combined with homeId' })
  }
  if (bidRequestId !== undefined) {
    if (kind !== 'reminder')
      errors.push({ pointer: '/kind', code: 'enum', message: 'must be reminder when bidRequestId is set' })
    if (date !== undefined)
      errors.push({
        pointer: '/date',
        code: 'exclusive',
        message: 'is set by the bid request; leave it out',
      })
    return errors.length > 0 ? errors : { bidRequestId }
  }
  if (homeId === undefined)
    errors.push({ pointer: '/homeId', code: 'required', message: 'is required unless taskId or bidRequestId is set' })
  if (date === undefined) errors.push({ pointer: '/date', code: 'required', message: 'is required when homeId is set' })
  return homeId === undefined || date === undefined ? errors : { homeId, date }
}

/** Returns the reason why vendors cannot be notified about the home; null if there is none. */
export function explainHomeNoticeConflict(home: Pick<Home, 'name' | 'status' | 'archivedAt'>): string | null {
  if (home.status === 'cancelled') return `Cannot notify vendors about ${home.name}: the home is canceled.`
  if (home.archivedAt !== null) return `Cannot notify vendors about ${home.name}: the home is archived.`
  return null
}
