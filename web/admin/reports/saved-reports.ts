import type { SavedReport, User } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { FRAME_QUERY, useSession } from '../../api/session.ts'
import { writeReportInput } from './report-input.ts'

/** The query parameter of a report page that contains the ID of the saved report. */
export const SAVED_PARAM = 'saved'

/** The maximum number of saved reports. Users do not look through more. */
const MAX_SAVED = 200

/** Returns the saved reports that the user can see, sorted by name; undefined while they load. */
export function useSavedReports(): readonly SavedReport[] | undefined {
  // The navigation on every page needs the favorites, so the page's footer does not list this request.
  return useListPage('/api/admin/saved-reports', { limit: MAX_SAVED, sort: 'name' }, { meta: FRAME_QUERY }).data?.data
}

/** Returns the saved report with this ID; undefined while it loads, or if the user cannot see it. */
export function useSavedReport(id: string | null): SavedReport | undefined {
  const { user } = useSession()
  const listed = useSavedReports()
  const found = listed?.find((saved) => saved.id === id)
  // Owners and admins can also open private reports of other users, through the link in a weekly email.
  const enabled = id !== null && listed !== undefined && found === undefined && isAdministrator(user)
  const path = { savedReportId: id ?? '' }
  const { data } = plumbline.useQuery(
    'get',
    '/api/admin/saved-reports/{savedReportId}',
    { params: { path } },
    { enabled },
  )
  return found ?? (enabled && data?.archivedAt === null ? data : undefined)
}

/** Returns whether a user may delete the saved reports of other users. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return role === 'owner' || role === 'admin'
}

/** Returns the user's favorite reports. */
export function useFavoriteReports(): readonly SavedReport[] {
  const { id } = useSession().user
  return (useSavedReports() ?? []).filter(({ favoriteUserIds }) => favoriteUserIds.includes(id))
}

/** Returns the URL of the page that runs a saved report. */
export function toSavedReportAddress({ id, report, input }: Pick<SavedReport, 'id' | 'report' | 'input'>): string {
  const query = writeReportInput(input)
  query.set(SAVED_PARAM, id)
  return `/reports/${report}?${query}`
}
