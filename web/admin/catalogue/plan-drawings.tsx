import { useState } from 'react'
import type { Drawing } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useUpload } from '../../api/use-upload.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const MAX_DRAWINGS = 200
const DISCIPLINES = (
  ['architectural', 'structural', 'electrical', 'plumbing', 'mechanical', 'site', 'truss', 'other'] as const
).map((value) => ({ value, label: humanizeName(value) }))

/** Lists the drawings of a plan, with forms to add a sheet and to issue a revision. */
export function PlanDrawings({ planId }: { planId: string }) {
  const { day } = useFormats()
  const mayWrite = useCan()('documents:write')
  const [isNew, setIsNew] = useState(false)
  const [revised, setRevised] = useState<Drawing | null>(null)
  const drawings = useListPage('/api/ext/drawings', { planId, limit: MAX_DRAWINGS, sort: '-createdAt' })
  const rows = drawings.data?.data.toSorted((a, b) => a.sheetNumber.localeCompare(b.sheetNumber))
  const columns: readonly Column<Drawing>[] = [
    {
      head: 'Sheet',
      cell: ({ sheetNumber, title }) => (
        <>
          <span className="lead">{sheetNumber}</span>
          <span className="sub">{title}</span>
        </>
      ),
    },
    { head: 'Discipline', cell: ({ discipline }) => humanizeName(discipline), isWideOnly: true },
    {
      head: 'Revision',
      cell: ({ revisions: [current] }) =>
        current === undefined ? (
          <EmptyCell word="no file yet" />
        ) : (
          <a href={`${root}/api/ext/attachments/${current.attachmentId}/content`}>
            {`${current.label}, ${day(current.issuedDate)}`}
          </a>
        ),
    },
    { head: 'Trades', cell: ({ scopes }) => (scopes.length === 0 ? 'All' : scopes.map(humanizeName).join(', ')) },
    ...(mayWrite
      ? [
          {
            head: 'Change',
            cell: (drawing: Drawing) => (
              <Button small aria-label={`Issue revision of ${drawing.sheetNumber}`} onClick={() => setRevised(drawing)}>
                Issue revision
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Drawings"
      isFlush={rows?.length !== 0}
      actions={
        mayWrite && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add sheet
          </Button>
        )
      }
    >
      {drawings.error !== null ? (
        <LoadError what="The drawings" error={drawings.error} onRetry={() => void drawings.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No drawings yet. Vendors with issued orders see the sheets of their trades.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Drawings" columns={columns} rows={rows} keyOf={({ id }) => id} expected={4} />
        </div>
      )}
      {isNew && <SheetForm planId={planId} onClose={() => setIsNew(false)} />}
      {revised !== null && <RevisionForm drawing={revised} onClose={() => setRevised(null)} />}
    </Panel>
  )
}

function SheetForm({ planId, onClose }: { planId: string; onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/drawings', {
    onSuccess: ({ sheetNumber }) => {
      showToast(`${sheetNumber} added. Issue its first revision next.`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add sheet"
      size="narrow"
      word="Add sheet"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const trades = (readTextField(form, 'scopes') ?? '').split(',').map((trade) => trade.trim())
        const discipline = readTextField(form, 'discipline')
        change.mutate({
          body: {
            ...{
              planId,
              sheetNumber: readTextField(form, 'sheetNumber') ?? '',
              title: readTextField(form, 'title') ?? '',
            },
            discipline: DISCIPLINES.find(({ value }) => value === discipline)?.value ?? 'other',
            scopes: trades.filter((trade) => trade !== ''),
          },
        })
      }}
    >
      <TextField name="sheetNumber" label="Sheet number" placeholder="A-101" autoFocus />
      <TextField name="title" label="Title" />
      <SelectField name="discipline" label="Discipline" options={DISCIPLINES} />
      <TextField
        name="scopes"
        label="Trades"
        optional
        hint="Separate the trades with commas. Leave empty to show the sheet to all trades."
      />
    </FormDialog>
  )
}

/** Uploads the file of a revision and then issues the revision. */
function RevisionForm({ drawing, onClose }: { drawing: Drawing; onClose(): void }) {
  const { today } = useFormats()
  const { id: drawingId, sheetNumber } = drawing
  const [revision, setRevision] = useState<{ label: string; issuedDate?: string; note?: string } | null>(null)
  const issue = plumbline.useMutation('post', '/api/ext/drawings/{drawingId}/revisions', {
    onSuccess: () => {
      showToast(`${sheetNumber} revised`)
      onClose()
    },
  })
  const upload = useUpload({
    onSuccess: ({ id: attachmentId }) => {
      if (revision !== null) issue.mutate({ params: { path: { drawingId } }, body: { ...revision, attachmentId } })
    },
  })
  return (
    <FormDialog
      title={`Issue revision of ${sheetNumber}`}
      note="Vendors whose issued, unfinished orders name an earlier revision will be notified."
      size="narrow"
      word="Issue revision"
      change={{ error: upload.error ?? issue.error, isPending: upload.isPending || issue.isPending }}
      onClose={onClose}
      onSubmit={(form) => {
        const [issuedDate, note] = [readTextField(form, 'issuedDate'), readTextField(form, 'note')]
        setRevision({
          label: readTextField(form, 'label') ?? '',
          ...(issuedDate !== undefined && { issuedDate }),
          ...(note !== undefined && { note }),
        })
        const file = form.get('file')
        if (file instanceof File && file.size > 0)
          upload.mutate({ params: { query: { recordId: drawingId, fileName: file.name } }, body: file })
      }}
    >
      <TextField name="label" label="Revision" placeholder="C" autoFocus />
      <TextField name="issuedDate" label="Date on the sheet" type="date" defaultValue={today()} max={today()} />
      <TextField name="note" label="What changed" optional />
      <label className="field">
        <span>File</span>
        <input type="file" name="file" accept="application/pdf,image/*" required />
      </label>
    </FormDialog>
  )
}
