import type { SavedReport, User } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { FRAME_QUERY, useSession } from '../../api/session.ts'
import { writeReportInput } from './report-input.ts'

/** The parameter of a report page that names the saved report. */
export const SAVED_PARAM = 'saved'

/** A user looks through no more saved reports. */
const MAX_SAVED = 200

/** Returns the saved reports that the user sees, by name; undefined while they load. */
export function useSavedReports(): readonly SavedReport[] | undefined {
  // The navigation of every page needs the favorites, so the footer of the page does not list the request.
  return useListPage('/api/admin/saved-reports', { limit: MAX_SAVED, sort: 'name' }, { meta: FRAME_QUERY }).data?.data
}

/** Returns the saved report with this ID; undefined while it loads, and if the user does not see it. */
export function useSavedReport(id: string | null): SavedReport | undefined {
  const { user } = useSession()
  const listed = useSavedReports()
  const found = listed?.find((saved) => saved.id === id)
  // The link in a weekly email leads owners and admins also to the private reports of other users.
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

/** Returns the favorites of the user. */
export function useFavoriteReports(): readonly SavedReport[] {
  const { id } = useSession().user
  return (useSavedReports() ?? []).filter(({ favoriteUserIds }) => favoriteUserIds.includes(id))
}

/** Returns the address of the page that runs a saved report. */
export function toSavedReportAddress({ id, report, input }: Pick<SavedReport, 'id' | 'report' | 'input'>): string {
  const query = writeReportInput(input)
  query.set(SAVED_PARAM, id)
  return `/reports/${report}?${query}`
}
