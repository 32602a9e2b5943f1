import { useState } from 'react'
import type { OauthGrant } from '../../../client/contract.gen.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import { type LookOf, STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { KeyCreator } from './keys.tsx'
import { PermissionMatrix } from './permission-matrix.tsx'
import { ENTITY_NAMES, findPermissionPreset } from './permissions.ts'

/** Lists the apps that act for users, with their permissions, their last use, and a button to disconnect them. */
export function Component() {
  const [shown, setShown] = useState<OauthGrant | null>(null)
  const { day, dateOf } = useFormats()
  const columns: readonly Column<OauthGrant>[] = [
    {
      head: 'App',
      className: 'long',
      cell: ({ clientName, redirectHost }) => (
        <>
          <span className="lead clip" title={clientName}>
            {clientName}
          </span>
          <span className="sub">{redirectHost}</span>
        </>
      ),
      csv: ({ clientName }) => clientName,
    },
    {
      head: 'Status',
      cell: (grant) => <Status of="key" is={chooseState(grant)} />,
      csv: (grant) => STATUS_LOOKS.key[chooseState(grant)].word,
    },
    {
      head: 'Permissions',
      cell: ({ permissions, proposeOnly }) => (
        <>
          {findPermissionPreset(permissions) ?? `${permissions.length} of ${ENTITY_NAMES.length * 2} permissions`}
          <span className="sub">{proposeOnly ? 'proposes only' : 'acts as the user'}</span>
        </>
      ),
      csv: ({ permissions }) => permissions.join(' '),
    },
    {
      head: 'User',
      cell: ({ userId }) => <KeyCreator id={userId} />,
      csv: ({ userId }) => userId,
    },
    {
      head: 'Last used',
      className: 'nowrap',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <EmptyCell word="never" /> : <TimeText at={lastUsedAt} />),
      csv: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      head: 'Expires',
      className: 'nowrap',
      cell: ({ expiresAt, revokedAt }) =>
        revokedAt === null ? day(dateOf(expiresAt)) : `disconnected ${day(dateOf(revokedAt))}`,
      csv: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt,
    },
    {
      head: 'Actions',
      className: 'num',
      cell: (grant) => (
        <Button small onClick={() => setShown(grant)}>
          {chooseState(grant) === 'active' ? 'Disconnect' : 'View'}
          <span className="sr"> {grant.clientName}</span>
        </Button>
      ),
    },
  ]
  return (
    <Page title="Connected apps" crumbs={[{ name: 'Settings' }, { name: 'Connected apps' }]}>
      <div className="page-head">
        <h1>Connected apps</h1>
        <p>
          Assistants and other apps that users have connected. Each app has only the selected permissions, and never
          more than its user.
        </p>
      </div>
      <Listing
        path="/api/admin/oauth-grants"
        nouns={['app', 'apps']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="swap" title="No connected apps yet">
            Add <code>{`${location.origin}${root}/mcp`}</code> as a connector in your assistant. A page opens where you
            choose its permissions.
          </EmptyState>
        }
      />
      {shown !== null && <DisconnectDialog grant={shown} onClose={() => setShown(null)} />}
    </Page>
  )
}

function chooseState({ revokedAt, expiresAt }: OauthGrant): LookOf<'key'> {
  if (revokedAt !== null) return 'revoked'
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active'
}

/** Shows an app's permissions before the user disconnects it. */
function DisconnectDialog({ grant, onClose }: { grant: OauthGrant; onClose(): void }) {
  const { id, clientName, permissions } = grant
  const revoke = plumbline.useMutation('post', '/api/admin/oauth-grants/{grantId}/revoke', {
    onSuccess: () => {
      showToast(`${clientName} disconnected`)
      onClose()
    },
  })
  const isActive = chooseState(grant) === 'active'
  return (
    <Dialog
      open
      onClose={onClose}
      title={isActive ? `Disconnect “${clientName}”?` : clientName}
      tail={
        isActive && (
          <>
            <span className="push" />
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="danger solid"
              busy={revoke.isPending}
              onClick={() => revoke.mutate({ params: { path: { grantId: id } } })}
            >
              Disconnect
            </Button>
          </>
        )
      }
    >
      {isActive && <p className="muted">The app loses access immediately. You can connect it again later.</p>}
      <ChangeError error={revoke.error} />
      <PermissionMatrix granted={new Set(permissions)} />
    </Dialog>
  )
}
