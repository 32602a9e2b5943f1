import { useParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { KeyActions } from './key-actions.tsx'
import { chooseKeyState } from './key-state.ts'
import { KeyCreator } from './keys.tsx'
import { PermissionMatrix } from './permission-matrix.tsx'
import { findPermissionPreset } from './permissions.ts'

const CRUMBS = [{ name: 'Settings' }, { name: 'API keys', to: '/settings/keys' }] as const

/** Shows one API key: its permissions, its secrets, and its actions. */
export function Component() {
  const { keyId = '' } = useParams()
  const can = useCan()
  const { day, dateOf } = useFormats()
  const key = plumbline.useQuery('get', '/api/admin/keys/{keyId}', { params: { path: { keyId } } })
  if (key.error !== null) {
    return (
      <Page title="API key" crumbs={[...CRUMBS, { name: 'Key' }]}>
        <LoadError what="The key" error={key.error} onRetry={() => void key.refetch()} />
      </Page>
    )
  }
  const { data } = key
  return (
    <Page
      title={data?.name ?? 'API key'}
      crumbs={[...CRUMBS, { name: data?.name ?? '…' }]}
      actions={data !== undefined && data.revokedAt === null && can('keys:write') && <KeyActions apiKey={data} />}
    >
      {data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <TitleBlock
            name={data.name}
            state={<Status of="key" is={chooseKeyState(data)} />}
            facts={[
              {
                label: 'Permissions',
                value: findPermissionPreset(data.permissions) ?? formatCount(data.permissions.length, 'permission'),
                note: 'limited by the role of the user who created the key',
              },
              {
                label: 'Created by',
                value: <KeyCreator id={data.createdByUserId} />,
                note: <TimeText at={data.createdAt} />,
              },
              { label: 'Last used', value: data.lastUsedAt === null ? 'never' : <TimeText at={data.lastUsedAt} /> },
              {
                label: 'Expires',
                value:
                  data.revokedAt !== null
                    ? `revoked ${day(dateOf(data.revokedAt))}`
                    : data.expiresAt === null
                      ? 'never'
                      : day(dateOf(data.expiresAt)),
              },
              {
                label: 'IP addresses',
                value: data.allowedAddresses === null ? 'any' : data.allowedAddresses.join(', '),
              },
              { label: 'ID', value: <code>{data.id}</code>, isWideOnly: true },
            ]}
          />
          <div className="cols">
            <Panel title="Permissions" hint="cannot be changed; to get other permissions, create another key">
              <PermissionMatrix granted={new Set(data.permissions)} />
            </Panel>
            <Panel title="Secrets" isFlush>
              {data.secrets.length === 0 ? (
                <p className="muted">No active secrets.</p>
              ) : (
                <div className="table-wrap">
                  <Table
                    caption="Active secrets"
                    rows={data.secrets}
                    keyOf={({ start }) => start}
                    columns={[
                      { head: 'Begins with', cell: ({ start }) => <code>{start}…</code> },
                      {
                        head: 'Valid until',
                        cell: ({ expiresAt }) => (expiresAt === null ? 'the key expires' : <TimeText at={expiresAt} />),
                      },
                    ]}
                  />
                </div>
              )}
            </Panel>
          </div>
        </>
      )}
    </Page>
  )
}
