import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Mail, SavedReport } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { ChangeError, LoadError } from '../../ui/states.tsx'
import type { Look } from '../../ui/status-styles.ts'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Values } from '../actions/entered-values.ts'
import { isAdministrator } from './saved-reports.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'

const MAIL_LOOKS = {
  queued: { word: 'Waiting', tone: 'flow', shape: 'clock' },
  sent: { word: 'Sent', tone: 'ok', shape: 'check' },
  failed: { word: 'Failed', tone: 'bad', shape: 'x' },
} satisfies Record<Mail['status'], Look>

/** The maximum number of emails: about two months of emails to ten users. */
const MAX_MAILS = 100

/** Shows the saved report that the page runs: with whom it is shared, its weekly email, and the emails sent so far. */
export function SavedReportPanel({ saved, input }: { saved: SavedReport; input: Values }) {
  const can = useCan()
  const { user } = useSession()
  const [open, setOpen] = useState<'schedule' | 'delete' | null>(null)
  const at = { params: { path: { savedReportId: saved.id } } }
  const mark = plumbline.useMutation('post', '/api/admin/saved-reports/{savedReportId}/favorite')
  const change = plumbline.useMutation('patch', '/api/admin/saved-reports/{savedReportId}', {
    onSuccess: ({ name }) => showToast(`${name} changed`),
  })
  const isOwn = saved.ownerId === user.id
  const canDelete = isOwn || isAdministrator(user)
  const isFavorite = saved.favoriteUserIds.includes(user.id)
  const { schedule } = saved
  return (
    <Panel
      title={saved.name}
      hint={saved.isShared ? 'shared' : 'private'}
      actions={
        <>
          <Button
            small
            aria-pressed={isFavorite}
            busy={mark.isPending}
            onClick={() => mark.mutate({ ...at, body: { isFavorite: !isFavorite } })}
          >
            {isFavorite ? 'Remove from favorites' : 'Add to favorites'}
          </Button>
          {isOwn && (
            <Button small icon="mail" onClick={() => setOpen('schedule')}>
              {schedule === null ? 'Email weekly' : 'Change email'}
            </Button>
          )}
        </>
      }
    >
      <div className="stack no-print">
        <ChangeError error={mark.error ?? change.error} />
        <KeyValues
          facts={[
            ['Saved by', <RecordName key="owner" of="user" id={saved.ownerId} />],
            [
              'Weekly email',
              schedule === null ? (
                <EmptyCell key="schedule" word="not scheduled" />
              ) : (
                <span key="schedule">
                  {humanizeName(schedule.weekday)},{' '}
                  {schedule.format === 'link' ? 'link' : schedule.format.toUpperCase()}, to{' '}
                  <RecordNames of="user" ids={schedule.userIds} none="nobody" />
                </span>
              ),
            ],
            ...(saved.lastMailing === null
              ? []
              : [['Last email', <LastMailing key="last" mailing={saved.lastMailing} />] as const]),
          ]}
        />
        {canDelete && (
          <div className="row wrap">
            {isOwn && (
              <>
                <Button small onClick={() => change.mutate({ ...at, body: { input: { ...input } } })}>
                  Save current options
                </Button>
                <Button small onClick={() => change.mutate({ ...at, body: { isShared: !saved.isShared } })}>
                  {saved.isShared ? 'Stop sharing' : 'Share'}
                </Button>
                {schedule !== null && (
                  <Button small onClick={() => change.mutate({ ...at, body: { schedule: null } })}>
                    End weekly email
                  </Button>
                )}
              </>
            )}
            <Button small look="danger" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </div>
        )}
        {can('messages:read') && saved.lastMailing !== null && <ReportMails id={saved.id} />}
      </div>
      {open === 'schedule' && <ScheduleDialog saved={saved} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteDialog saved={saved} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function LastMailing({ mailing }: { mailing: NonNullable<SavedReport['lastMailing']> }) {
  const { at, status, userIds, skippedUserIds, detail } = mailing
  return (
    <>
      <TimeText at={at} />
      {status === 'mailed' && (
        <>
          {' '}
          to <RecordNames of="user" ids={userIds} none="nobody" />
        </>
      )}
      {detail !== null && <span className="sub tone-warn">{detail}</span>}
      {skippedUserIds.length > 0 && (
        <span className="sub">
          Skipped: <RecordNames of="user" ids={skippedUserIds} none="nobody" />
        </span>
      )}
    </>
  )
}

function ReportMails({ id }: { id: string }) {
  const mails = useListPage('/api/ext/mails', { aboutId: id, limit: MAX_MAILS, sort: '-createdAt' })
  const columns: readonly Column<Mail>[] = [
    { head: 'Email', cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { head: 'Status', cell: ({ status }) => <Badge look={MAIL_LOOKS[status]} bare /> },
    { head: 'To', cell: ({ to }) => to },
    { head: 'File', cell: ({ attachmentName }) => attachmentName ?? <EmptyCell word="link" /> },
    { head: 'Error', isWideOnly: true, cell: ({ lastError }) => lastError ?? <EmptyCell /> },
  ]
  if (mails.error !== null)
    return <LoadError what="The emails" error={mails.error} onRetry={() => void mails.refetch()} />
  if (mails.data?.data.length === 0) return null
  return (
    <div className="table-wrap">
      <Table caption="Emails" columns={columns} rows={mails.data?.data} keyOf={(mail) => mail.id} expected={1} />
    </div>
  )
}

function DeleteDialog({ saved, onClose }: { saved: SavedReport; onClose(): void }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('delete', '/api/admin/saved-reports/{savedReportId}', {
    onSuccess: () => {
      showToast(`${saved.name} deleted`)
      void navigate('/reports')
    },
  })
  return (
    <FormDialog
      title={`Delete ${saved.name}?`}
      size="narrow"
      word="Delete"
      isDanger
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { savedReportId: saved.id } } })}
    >
      <p className="muted">
        {saved.isShared ? 'Other users will no longer see it. ' : ''}
        {saved.schedule === null ? '' : 'Its weekly email ends. '}
        This cannot be undone. The report itself stays available.
      </p>
    </FormDialog>
  )
}
