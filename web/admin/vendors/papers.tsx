import { useId, useState } from 'react'
import type { ComplianceDocument, ComplianceDocumentType } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, SelectField, TextField, typed, typedNumber } from '../../ui/form.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failed } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { say } from '../../ui/toast.tsx'

const TYPES: Record<ComplianceDocumentType, string> = {
  general_liability: 'General liability',
  workers_comp: 'Workers’ compensation',
  auto: 'Auto insurance',
  license: 'License',
  w9: 'W-9',
  umbrella: 'Umbrella',
  agreement: 'Agreement',
  other: 'Other document',
}

/** Lists compliance documents such as insurance and licenses: their status, expiry, and those that await review. */
export function Papers({ vendorId }: { vendorId: string }) {
  const may = useMay()
  const { money, day, until } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const papers = plumbline.useQuery('get', '/api/ext/vendors/{vendorId}/compliance-documents', {
    params: { path: { vendorId }, query: { limit: 200 } },
  })
  const decide = plumbline.useMutation('post', '/api/ext/compliance-documents/{complianceDocumentId}/status', {
    onSuccess: ({ type, status }) => say(`${TYPES[type]} ${status === 'valid' ? 'accepted' : 'rejected'}`),
  })
  const columns: readonly Column<ComplianceDocument>[] = [
    {
      head: 'Document',
      cell: ({ type, policyNumber, additionalInsured }) => (
        <>
          {TYPES[type] ?? inWords(type)}
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
    { head: 'Carrier', cell: ({ carrier }) => carrier ?? <None word="not specified" /> },
    {
      head: 'Coverage limit',
      numeric: true,
      cell: ({ limitAmount }) => (limitAmount === null ? <None /> : money(limitAmount)),
    },
    {
      head: 'Valid until',
      className: 'nowrap',
      cell: ({ expirationDate, status }) =>
        expirationDate === null ? (
          <None word="no end date" />
        ) : (
          <>
            {day(expirationDate)}
            {status === 'valid' && until(expirationDate) <= 30 && (
              <span className="sub tone-warn">in {until(expirationDate)} days</span>
            )}
          </>
        ),
    },
    ...(may('vendors:write') && papers.data?.data.some(({ status }) => status === 'pending_review')
      ? [
          {
            head: 'Review',
            cell: ({ id, status, type }: ComplianceDocument) =>
              status === 'pending_review' ? (
                <span className="row">
                  {(['valid', 'rejected'] as const).map((to) => (
                    <Button
                      small
                      key={to}
                      onClick={() =>
                        decide.mutate({ params: { path: { complianceDocumentId: id } }, body: { status: to } })
                      }
                    >
                      {to === 'valid' ? 'Accept' : 'Reject'}
                      <span className="sr"> {TYPES[type]}</span>
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
        may('vendors:write') && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add
          </Button>
        )
      }
    >
      {papers.error !== null ? (
        <Failed what="Compliance documents" error={papers.error} onRetry={() => void papers.refetch()} />
      ) : papers.data?.data.length === 0 ? (
        <Empty icon="audit" title="No compliance documents yet">
          Add an insurance certificate or license, or ask the vendor to upload it.
        </Empty>
      ) : (
        <div className="table-wrap">
          <Table
            caption="Compliance documents"
            columns={columns}
            rows={papers.data?.data}
            keyOf={({ id }) => id}
            expected={3}
          />
        </div>
      )}
      {isNew && <NewPaper vendorId={vendorId} onClose={() => setIsNew(false)} />}
    </Panel>
  )
}

function NewPaper({ vendorId, onClose }: { vendorId: string; onClose(): void }) {
  const form = useId()
  const add = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/compliance-documents', {
    onSuccess: ({ type }) => {
      say(`${TYPES[type]} added`)
      onClose()
    },
  })
  const onSubmit = (data: FormData) => {
    const limitAmount = typedNumber(data, 'limitAmount')
    add.mutate({
      params: { path: { vendorId } },
      body: {
        type: data.get('type') as ComplianceDocumentType,
        carrier: typed(data, 'carrier') ?? null,
        policyNumber: typed(data, 'policyNumber') ?? null,
        effectiveDate: typed(data, 'effectiveDate') ?? null,
        expirationDate: typed(data, 'expirationDate') ?? null,
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
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={add.isPending}>
            Add document
          </Button>
        </>
      }
    >
      <Form id={form} error={add.error} onSubmit={onSubmit}>
        <div className="form-row">
          <SelectField
            name="type"
            label="Type"
            options={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
          />
          <TextField name="policyNumber" label="Number" optional />
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
