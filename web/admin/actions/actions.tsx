import { Link, useSearchParams } from 'react-router'
import { useCan } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { permissionLabels } from '../settings/permissions.gen.ts'
import { actions, type DeclaredAction } from './actions.gen.ts'
import { canPerformAction } from './can-perform-action.ts'

/** Lists all actions that the user may perform, by kind of record, with a form for each action. */
export function Component() {
  const can = useCan()
  const [query, setQuery] = useSearchParams()
  const q = query.get('q') ?? ''
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const found = Object.entries(actions).filter(
    ([name, action]) =>
      canPerformAction(action, can) && words.every((word) => `${action.label} ${name}`.toLowerCase().includes(word)),
  )
  const groups = [...Map.groupBy(found, ([, action]) => toGroup(action))].sort(([a], [b]) => (a < b ? -1 : 1))
  return (
    <Page title="Actions" crumbs={[{ name: 'Actions' }]}>
      <div className="page-head">
        <h1>Actions</h1>
        <p>Everything that you can do in Plumbline, with a form for each action.</p>
      </div>
      <search className="filters">
        <SearchBox
          label="Search actions"
          placeholder="For example, price or retainage"
          value={q}
          onChange={(text) => setQuery(text === '' ? {} : { q: text }, { replace: true })}
        />
      </search>
      {groups.length === 0 && <EmptyState icon="search" title="No matching actions" />}
      {groups.map(([group, members]) => (
        <Panel key={group} title={group} hint={formatCount(members.length, 'action')}>
          <ul className="action-list">
            {members
              .sort(([, a], [, b]) => Number(isRead(a)) - Number(isRead(b)) || (a.label < b.label ? -1 : 1))
              .map(([name, action]) => (
                <li key={name}>
                  <Link to={`/actions/${name}`}>{action.label}</Link>
                  {isRead(action) && <span className="faint"> look up</span>}
                </li>
              ))}
          </ul>
        </Panel>
      ))}
    </Page>
  )
}

function isRead({ method, writes }: DeclaredAction): boolean {
  return method === undefined ? writes !== true : method === 'get'
}

/** Returns the kind of record that an action primarily affects. */
function toGroup({ permissions }: DeclaredAction): string {
  const main = permissions.find((one) => one.endsWith(':write')) ?? permissions[0] ?? ''
  const [entity = ''] = main.split(':')
  return (permissionLabels as Readonly<Record<string, string>>)[entity] ?? 'General'
}
