import { Link, useSearchParams } from 'react-router'
import type { SavedReport } from '../../../client/contract.gen.ts'
import { useCan, useSession } from '../../api/session.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { actions } from '../actions/actions.gen.ts'
import { canPerformAction } from '../actions/can-perform-action.ts'
import { REPORT_GROUPS } from './report-groups.ts'
import { toSavedReportAddress, useSavedReports } from './saved-reports.ts'

/** Lists the reports that the user's permissions allow, by subject. */
export function Component() {
  const can = useCan()
  const [query, setQuery] = useSearchParams()
  const q = query.get('q') ?? ''
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = Object.entries(REPORT_GROUPS).flatMap(([group, names]) => {
    const reports = names.flatMap((name) => {
      const action = actions[name]
      if (action === undefined || !canPerformAction(action, can)) return []
      const isFound = words.every((word) => `${action.label} ${name} ${group}`.toLowerCase().includes(word))
      return isFound ? [{ name, label: action.label }] : []
    })
    return reports.length === 0 ? [] : [{ group, reports }]
  })
  return (
    <Page title="Reports" crumbs={[{ name: 'Reports' }]}>
      <div className="page-head">
        <h1>Reports</h1>
        <p>Each report has a URL to share, a CSV export, and a print view.</p>
      </div>
      <search className="filters">
        <SearchBox
          label="Search reports"
          placeholder="For example, cash or insurance"
          value={q}
          onChange={(text) => setQuery(text === '' ? {} : { q: text }, { replace: true })}
        />
      </search>
      {words.length === 0 && <SavedReportList />}
      {groups.length === 0 && <EmptyState icon="search" title="No matching reports" />}
      {groups.map(({ group, reports }) => (
        <Panel key={group} title={group} hint={formatCount(reports.length, 'report')}>
          <ul className="action-list">
            {reports.map(({ name, label }) => (
              <li key={name}>
                <Link to={`/reports/${name}`}>{label}</Link>
              </li>
            ))}
          </ul>
        </Panel>
      ))}
    </Page>
  )
}

/** Lists the saved reports, favorites first. */
function SavedReportList() {
  const { id } = useSession().user
  const saved = useSavedReports()
  if (saved === undefined || saved.length === 0) return null
  const isFavorite = ({ favoriteUserIds }: SavedReport) => favoriteUserIds.includes(id)
  const sections = [
    ['Favorites', saved.filter(isFavorite)],
    ['Saved reports', saved.filter((one) => !isFavorite(one))],
  ] as const
  return sections.map(
    ([title, reports]) =>
      reports.length > 0 && (
        <Panel key={title} title={title} hint={formatCount(reports.length, 'report')}>
          <ul className="action-list">
            {reports.map((one) => (
              <li key={one.id}>
                <Link to={toSavedReportAddress(one)}>{one.name}</Link>{' '}
                <span className="faint small">
                  {[actions[one.report]?.label, describeSchedule(one)].filter((part) => part !== undefined).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      ),
  )
}

function describeSchedule({ schedule }: SavedReport): string | undefined {
  return schedule === null ? undefined : `emailed every ${humanizeName(schedule.weekday)}`
}
