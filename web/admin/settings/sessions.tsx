import type { SessionEntry } from '../../../client/contract.gen.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Shows the user's sessions, with a button to end each of them. */
export function Component() {
  const end = plumbline.useMutation('delete', '/api/admin/sessions/{sessionId}', {
    onSuccess: () => showToast('Session ended'),
  })
  const columns: readonly Column<SessionEntry>[] = [
    {
      head: 'Device',
      cell: ({ device, isCurrent }) => (
        <>
          {device ?? 'Unnamed device'}
          {isCurrent && <span className="sub">this device</span>}
        </>
      ),
      csv: ({ device }) => device,
    },
    { head: 'IP address', cell: ({ address }) => address ?? 'not known', csv: ({ address }) => address },
    { head: 'Last sign-in', cell: ({ createdAt }) => <TimeText at={createdAt} />, csv: ({ createdAt }) => createdAt },
    {
      head: 'Last used',
      cell: ({ lengthenedAt }) => <TimeText at={lengthenedAt} />,
      csv: ({ lengthenedAt }) => lengthenedAt,
    },
    {
      head: 'Expires if unused',
      cell: ({ expiresAt }) => <TimeText at={expiresAt} />,
      csv: ({ expiresAt }) => expiresAt,
    },
    {
      head: 'Actions',
      className: 'num',
      cell: ({ id, isCurrent, device }) =>
        isCurrent ? (
          <SignOut />
        ) : (
          <Button small onClick={() => end.mutate({ params: { path: { sessionId: id } } })}>
            End session<span className="sr"> {device}</span>
          </Button>
        ),
    },
  ]
  return (
    <Page title="Sessions" crumbs={[{ name: 'Settings' }, { name: 'Your sessions' }]}>
      <div className="page-head">
        <h1>Sessions</h1>
        <p>Devices where you are signed in. Unused sessions end after two weeks.</p>
      </div>
      <ChangeError error={end.error} />
      <Listing
        path="/api/admin/sessions"
        nouns={['session', 'sessions']}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState icon="lock" title="No sessions" />}
      />
    </Page>
  )
}

function SignOut() {
  const signOut = plumbline.useMutation('delete', '/api/admin/session', {
    meta: { changesNothing: true },
    onSuccess: () => location.assign(`${root}/sign-in`),
  })
  return (
    <Button small busy={signOut.isPending} onClick={() => signOut.mutate({})}>
      Sign out
    </Button>
  )
}
