import type { HeldPermission, Role } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { Page } from '../../../ui/page.tsx'
import { KeyValues, Panel } from '../../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { administrationLabels, permissionLabels } from '../permissions.gen.ts'
import { PeopleTabs } from './people-tabs.tsx'

const ROWS: readonly { entity: string; word: string }[] = [
  ...Object.entries({ ...permissionLabels, ...administrationLabels }).map(([entity, word]) => ({ entity, word })),
]

/** Shows the permissions of each role in one table. */
export function Component() {
  const roles = plumbline.useQuery('get', '/api/admin/roles')
  return (
    <Page
      title="Roles"
      crumbs={[{ name: 'Settings' }, { name: 'Users and roles', to: '/settings/people' }, { name: 'Roles' }]}
    >
      <div className="page-head">
        <h1>Users and roles</h1>
        <p>Roles and their permissions. An API key never has more permissions than the role of its creator.</p>
      </div>
      <PeopleTabs />
      {roles.error !== null ? (
        <LoadError what="The roles" error={roles.error} onRetry={() => void roles.refetch()} />
      ) : roles.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <Panel title="Purpose">
            <KeyValues
              facts={roles.data.data.map(({ role, description }) => [humanizeName(role), description] as const)}
            />
          </Panel>
          <Panel title="Permissions" isFlush>
            <RoleTable roles={roles.data.data} />
          </Panel>
        </>
      )}
    </Page>
  )
}

function RoleTable({ roles }: { roles: readonly Role[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="scroll-x" tabIndex={0} aria-label="Role permissions">
      <table className="table roles">
        <caption className="sr">Permissions of each role</caption>
        <thead>
          <tr>
            <th scope="col">Records</th>
            {roles.map(({ role }) => (
              <th scope="col" key={role}>
                {humanizeName(role)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ entity, word }) => (
            <tr key={entity}>
              <th scope="row">{word}</th>
              {roles.map(({ role, permissions }) => (
                <td key={role}>
                  <HeldPermissions entity={entity} permissions={permissions} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function HeldPermissions({ entity, permissions }: { entity: string; permissions: readonly HeldPermission[] }) {
  const held = new Set<string>(permissions)
  if (held.has(`${entity}:write`)) return 'reads, writes'
  return held.has(`${entity}:read`) ? <span className="muted">reads</span> : <span className="none">nothing</span>
}
