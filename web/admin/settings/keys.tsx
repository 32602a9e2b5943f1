import { useState } from 'react'
import { Link } from 'react-router'
import type { ApiKey } from '../../../client/contract.gen.ts'
import { root } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { chooseKeyState } from './key-state.ts'
import { NewKey } from './new-key.tsx'
import { ENTITY_NAMES, findPermissionPreset } from './permissions.ts'

/** Lists API keys: their permissions, last use, and expiration. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const { day, dateOf } = useFormats()
  const create = can('keys:write') && (
    <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
      New key
    </Button>
  )
  const columns: readonly Column<ApiKey>[] = [
    {
      head: 'Key',
      sort: 'name',
      className: 'long',
      cell: ({ id, name, secrets }) => (
        <>
          <Link className="lead clip" to={`/settings/keys/${id}`} title={name}>
            {name}
          </Link>
          {secrets[0] !== undefined && <span className="sub mono">{secrets[0].start}…</span>}
        </>
      ),
      csv: ({ name }) => name,
    },
    {
      head: 'Status',
      cell: (key) => <Status of="key" is={chooseKeyState(key)} />,
      csv: (key) => STATUS_LOOKS.key[chooseKeyState(key)].word,
    },
    {
      head: 'Permissions',
      cell: ({ permissions }) => (
        <>
          {findPermissionPreset(permissions) ?? `${permissions.length} of ${ENTITY_NAMES.length * 2}`}
          <span className="sub">
            {findPermissionPreset(permissions) === undefined
              ? 'permissions'
              : formatCount(permissions.length, 'permission')}
          </span>
        </>
      ),
      csv: ({ permissions }) => permissions.join(' '),
    },
    {
      head: 'Last used',
      className: 'nowrap',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <EmptyCell word="never" /> : <TimeText at={lastUsedAt} />),
      csv: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      head: 'IP addresses',
      isWideOnly: true,
      cell: ({ allowedAddresses }) => (allowedAddresses === null ? 'any' : allowedAddresses.join(', ')),
      csv: ({ allowedAddresses }) => allowedAddresses?.join(' ') ?? null,
    },
    {
      head: 'Created by',
      cell: ({ createdByUserId }) => <KeyCreator id={createdByUserId} />,
      csv: ({ createdByUserId }) => createdByUserId,
    },
    {
      head: 'Expires',
      className: 'nowrap',
      cell: ({ expiresAt, revokedAt }) =>
        revokedAt !== null
          ? `revoked ${day(dateOf(revokedAt))}`
          : expiresAt === null
            ? 'never'
            : day(dateOf(expiresAt)),
      csv: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt,
    },
  ]
  return (
    <Page title="API keys" crumbs={[{ name: 'Settings' }, { name: 'API keys' }]} actions={create}>
      <div className="page-head">
        <h1>API keys</h1>
        <p>
          Access for programs, agents, and other systems. A key never has more permissions than its creator.{' '}
          <a href={`${root}/docs/guides/first-call`}>Read the guide</a>
        </p>
      </div>
      <Listing
        path="/api/admin/keys"
        nouns={['key', 'keys']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="key" title="No API keys yet" actions={create}>
            Give each program, agent, or accounting system its own API key, so you can monitor and revoke it.
          </EmptyState>
        }
      />
      {isNew && <NewKey onClose={() => setIsNew(false)} />}
    </Page>
  )
}

export function KeyCreator({ id }: { id: string }) {
  const can = useCan()
  const { user } = useSession()
  const users = useRecords('/api/ext/users', can('users:read') ? [id] : [])
  return users.get(id)?.name ?? (id === user.id ? user.name : 'a colleague')
}
