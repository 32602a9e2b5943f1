import { useState } from 'react'
import type { Sandbox as State } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'

/** The polling interval. Users watch the progress while the sandbox is filled or emptied. */
const REFRESH_MS = 1000

/**
 * Lets the user fill the organization with sample data and empty it again. Shown only if the operator has made the
 * organization a sandbox.
 */
export function Sandbox() {
  const can = useCan()
  const [isAsking, setIsAsking] = useState(false)
  const { data } = plumbline.useQuery('get', '/api/admin/sandbox', undefined, {
    enabled: can('sandbox:read'),
    refetchInterval: ({ state }) => (isInProgress(state.data) ? REFRESH_MS : false),
  })
  const started = { onSuccess: () => setIsAsking(false) }
  const fill = plumbline.useMutation('post', '/api/admin/sandbox/fill', started)
  const empty = plumbline.useMutation('post', '/api/admin/sandbox/empty', started)
  if (data === undefined || !data.isSandbox) return null
  const mayTend = can('sandbox:write')
  return (
    <Panel
      title="Sandbox"
      hint="practice data"
      actions={
        mayTend &&
        (data.status === 'empty' ? (
          <Button small icon="plus" busy={fill.isPending} onClick={() => fill.mutate({})}>
            Add example data
          </Button>
        ) : data.status === 'filled' ? (
          <Button small look="danger" icon="x" onClick={() => setIsAsking(true)}>
            Empty sandbox…
          </Button>
        ) : null)
      }
    >
      <ChangeError error={fill.error} />
      <SandboxState state={data} mayTend={mayTend} />
      {isAsking && (
        <MoveDialog
          title="Empty the sandbox?"
          effect="All records, files, events, and portal links will be deleted. Users, API keys, apps, webhooks, settings, and the audit trail will be kept. This cannot be undone."
          word="Empty sandbox"
          isDanger
          trial={null}
          error={empty.error}
          isPending={empty.isPending}
          onConfirm={() => empty.mutate({})}
          onClose={() => setIsAsking(false)}
        />
      )}
    </Panel>
  )
}

function isInProgress(state: State | undefined): boolean {
  return state?.status === 'filling' || state?.status === 'emptying'
}

function SandboxState({ state, mayTend }: { state: State; mayTend: boolean }) {
  const { status, done, total, failure, finishedAt } = state
  if (status === 'filling' || status === 'emptying')
    return (
      <div className="stack tight" role="status">
        <p>
          {status === 'filling'
            ? `Adding example data: day ${done} of ${total}.`
            : `Deleting records: ${done} of ${total} record types done.`}
        </p>
        <progress
          className="meter-native"
          max={total}
          value={done}
          aria-label={status === 'filling' ? 'Adding example data' : 'Emptying the sandbox'}
        />
        <p className="small muted">
          You can keep working or leave this page. Until this is done, no emails or webhooks are sent.
        </p>
      </div>
    )
  return (
    <div className="stack tight">
      {failure !== null && (
        <p>
          <b className="tone-bad">
            {failure === 'interrupted' ? 'Adding example data was interrupted' : 'Adding example data failed'}
          </b>
          . The partial data was removed.
        </p>
      )}
      <p>
        {status === 'filled'
          ? 'The sandbox contains example homes, vendors, bids, orders, schedules, payments, and sales.'
          : 'The sandbox is empty. Add example data to get one year of homes, vendors, bids, orders, schedules, payments, and sales.'}
        {!mayTend && ' Only an owner can add or delete the example data.'}
      </p>
      <p className="small muted">
        No email is sent to vendors.
        {finishedAt !== null && (
          <>
            {' '}
            Last changed <TimeText at={finishedAt} />.
          </>
        )}
      </p>
    </div>
  )
}
