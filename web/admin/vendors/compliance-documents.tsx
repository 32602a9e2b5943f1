import { useId, useState } from 'react'
import type { ComplianceDocument, ComplianceDocumentType } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { FilesButton } from '../files/file-viewer.tsx'

const TYPE_LABELS: Record<ComplianceDocumentType, string> = {
  general_liability: 'General liability',
  workers_comp: 'Workers’ compensation',
  auto: 'Auto insurance',
  license: 'License',
  w9: 'W-9',
  umbrella: 'Umbrella',
  agreement: 'Agreement',
  other: 'Other document',
}

const DECISIONS = [
  { to: 'valid', word: 'Accept' },
  { to: 'rejected', word: 'Reject' },
] as const

/**
 * Lists compliance documents, such as insurance certificates and licenses, with their status and expiration. Marks the
 * documents that await review.
 */
export function ComplianceDocuments({ vendorId }: { vendorId: string }) {
  const can = useCan()
  const { money, day, until } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const documents = plumbline.useQuery('get', '/api/ext/vendors/{vendorId}/compliance-documents', {
    params: { path: { vendorId }, query: { limit: 200 } },
  })
  const decide = plumbline.useMutation('post', '/api/ext/compliance-documents/{complianceDocumentId}/status', {
    onSuccess: ({ type, status }) => showToast(`${TYPE_LABELS[type]} ${status === 'valid' ? 'accepted' : 'rejected'}`),
  })
  const columns: readonly Column<ComplianceDocument>[] = [
    {
      head: 'Document',
      cell: ({ type, policyNumber, additionalInsured }) => (
        <>
          {TYPE_LABELS[type] ?? humanizeName(type)}
          {policyNumber !== null && (
            <span className="sub">
              {policyNumber}
              {additionalInsured && ', additional insured'}
            </span>
          )}
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="paper" is={status} /> },
    { head: 'Carrier', cell: ({ carrier }) => carrier ?? <EmptyCell word="not specified" /> },
    {
      head: 'Coverage limit',
      numeric: true,
      cell: ({ limitAmount }) => (limitAmount === null ? <EmptyCell /> : money(limitAmount)),
    },
    {
      head: 'Valid until',
      className: 'nowrap',
      cell: ({ expirationDate, status }) =>
        expirationDate === null ? (
          <EmptyCell word="no end date" />
        ) : (
          <>
            {day(expirationDate)}
            {status === 'valid' && until(expirationDate) <= 30 && (
              <span className="sub tone-warn">in {formatCount(until(expirationDate), 'day')}</span>
            )}
          </>
        ),
    },
    {
      head: 'Files',
      cell: ({ id, type, status }) => (
        <FilesButton
          recordId={id}
          name={TYPE_LABELS[type]}
          needs="vendors:write"
          decisions={(close) =>
            can('vendors:write') &&
            status === 'pending_review' &&
            DECISIONS.map(({ to, word }) => (
              <Button
                key={to}
                onClick={() => {
                  close()
                  decide.mutate({ params: { path: { complianceDocumentId: id } }, body: { status: to } })
                }}
              >
                {word}
              </Button>
            ))
          }
        />
      ),
    },
    ...(can('vendors:write') && documents.data?.data.some(({ status }) => status === 'pending_review')
      ? [
          {
            head: 'Review',
            cell: ({ id, status, type }: ComplianceDocument) =>
              status === 'pending_review' ? (
                <span className="row">
                  {DECISIONS.map(({ to, word }) => (
                    <Button
                      small
                      key={to}
                      onClick={() =>
                        decide.mutate({ params: { path: { complianceDocumentId: id } }, body: { status: to } })
                      }
                    >
                      {word}
                      <span className="sr"> {TYPE_LABELS[type]}</span>
                    </Button>
                  ))}
                </span>
              ) : null,
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Compliance documents"
      isFlush
      actions={
        can('vendors:write') && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add
          </Button>
        )
      }
    >
      {documents.error !== null ? (
        <LoadError what="Compliance documents" error={documents.error} onRetry={() => void documents.refetch()} />
      ) : documents.data?.data.length === 0 ? (
        <EmptyState icon="audit" title="No compliance documents yet">
          Add an insurance certificate or license, or ask the vendor to upload it.
        </EmptyState>
      ) : (
        <div className="table-wrap">
          <Table
            caption="Compliance documents"
            columns={columns}
            rows={documents.data?.data}
            keyOf={({ id }) => id}
            expected={3}
          />
        </div>
      )}
      {isNew && <NewDocumentDialog vendorId={vendorId} onClose={() => setIsNew(false)} />}
    </Panel>
  )
}

function NewDocumentDialog({ vendorId, onClose }: { vendorId: string; onClose(): void }) {
  const form = useId()
  const add = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/compliance-documents', {
    onSuccess: ({ type }) => {
      showToast(`${TYPE_LABELS[type]} added`)
      onClose()
    },
  })
  const onSubmit = (data: FormData) => {
    const limitAmount = readNumberField(data, 'limitAmount')
    add.mutate({
      params: { path: { vendorId } },
      body: {
        type: data.get('type') as ComplianceDocumentType,
        carrier: readTextField(data, 'carrier') ?? null,
        policyNumber: readTextField(data, 'policyNumber') ?? null,
        effectiveDate: readTextField(data, 'effectiveDate') ?? null,
        expirationDate: readTextField(data, 'expirationDate') ?? null,
        ...(limitAmount !== undefined && { limitAmount }),
      },
    })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add compliance document"
      tail={
        <>
          <span className="push" />
          <Button
            onClick={() => {
              discardDraft(form)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" form={form} busy={add.isPending}>
            Add document
          </Button>
        </>
      }
    >
      <Form id={form} draft="document" error={add.error} onSubmit={onSubmit}>
        <div className="form-row">
          <SelectField
            name="type"
            label="Type"
            options={Object.entries(TYPE_LABELS).map(([value, label]) => ({ value, label }))}
          />
          <TextField name="policyNumber" label="Document number" optional />
        </div>
        <div className="form-row">
          <TextField name="carrier" label="Carrier" optional />
          <TextField name="limitAmount" label="Coverage limit" optional />
        </div>
        <div className="form-row">
          <TextField name="effectiveDate" label="Valid from" type="date" optional />
          <TextField name="expirationDate" label="Valid until" type="date" optional />
        </div>
      </Form>
    </Dialog>
  )
}
