import { useState } from 'react'
import { Link } from 'react-router'
import type { ApiKey } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { root } from '../../api/plumbline.ts'
import { useRecords } from '../../api/records.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { stateOf } from './key-state.ts'
import { NewKey } from './new-key.tsx'
import { ENTITY_NAMES, presetOf } from './permissions.ts'

/** Lists API keys: their permissions, last use and expiry. */
export function Component() {
  const may = useMay()
  const [isNew, setIsNew] = useState(false)
  const { day, dateOf } = useFormats()
  const create = may('keys:write') && (
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
      cell: (key) => <Status of="key" is={stateOf(key)} />,
      csv: (key) => LOOKS.key[stateOf(key)].word,
    },
    {
      head: 'Permissions',
      cell: ({ permissions }) => (
        <>
          {presetOf(permissions) ?? `${permissions.length} of ${ENTITY_NAMES.length * 2}`}
          <span className="sub">
            {presetOf(permissions) === undefined ? 'permissions' : `${permissions.length} permissions`}
          </span>
        </>
      ),
      csv: ({ permissions }) => permissions.join(' '),
    },
    {
      head: 'Last used',
      className: 'nowrap',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <None word="never" /> : <Time at={lastUsedAt} />),
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
      cell: ({ createdByUserId }) => <Maker id={createdByUserId} />,
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
          Access for programs, agents and other systems. A key never has more permissions than its creator.{' '}
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
          <Empty icon="key" title="No API keys yet" actions={create}>
            Give each program, agent or accounting system its own API key, so you can monitor and revoke it.
          </Empty>
        }
      />
      {isNew && <NewKey onClose={() => setIsNew(false)} />}
    </Page>
  )
}

export function Maker({ id }: { id: string }) {
  const may = useMay()
  const users = useRecords('/api/ext/users', may('users:read') ? [id] : [])
  return users.get(id)?.name ?? 'a colleague'
}
