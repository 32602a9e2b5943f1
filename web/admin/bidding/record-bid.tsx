import { useId } from 'react'
import type { BidRequest, BidSourceInput } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'
import { useFormats } from '../../ui/use-formats.ts'

const SOURCES: readonly { value: BidSourceInput; label: string }[] = [
  { value: 'phone', label: 'Phone' },
  { value: 'email', label: 'Email' },
]

/** Lets the user record a bid that arrived by phone or email. */
export function RecordBid(props: { request: BidRequest; vendorId: string; vendor: string; onClose(): void }) {
  const { request, vendorId, vendor, onClose } = props
  const form = useId()
  const { symbol } = useFormats()
  const byLine = request.lines.length > 0
  const submit = plumbline.useMutation('post', '/api/ext/bids', {
    onSuccess: () => {
      showToast(`Bid from ${vendor} recorded`)
      onClose()
    },
  })
  const onSubmit = (data: FormData) => {
    const lines = request.lines.flatMap(({ lineId }) => {
      const unitPrice = readNumberField(data, `line-${lineId}`)
      return unitPrice === undefined ? [] : [{ lineId, unitPrice }]
    })
    const amount = readNumberField(data, 'amount')
    const leadTimeDays = readNumberField(data, 'leadTimeDays')
    const durationDays = readNumberField(data, 'durationDays')
    submit.mutate({
      body: {
        ...{ bidRequestId: request.id, vendorId, source: data.get('source') as BidSourceInput },
        ...(amount !== undefined && { amount }),
        ...(lines.length > 0 && { lines }),
        ...(leadTimeDays !== undefined && { leadTimeDays }),
        ...(durationDays !== undefined && { durationDays }),
        exclusions: readTextField(data, 'exclusions') ?? null,
      },
    })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Record bid from ${vendor}`}
      note={request.title ?? request.number}
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
          <Button look="primary" type="submit" form={form} busy={submit.isPending}>
            Record bid
          </Button>
        </>
      }
    >
      <Form id={form} draft={`bid ${vendorId}`} error={submit.error} onSubmit={onSubmit}>
        {byLine &&
          request.lines.map((line, at) => (
            <Field
              key={line.lineId}
              name={`line-${line.lineId}`}
              label={line.description}
              pointer={`/lines/${at}`}
              optional={!line.required || request.bidType === 'lump_sum'}
              hint={`for ${formatQuantity(line.quantity)} ${line.unit}`}
            >
              {(control) => (
                <div className="input money">
                  <span className="affix">{symbol}</span>
                  <input {...control} inputMode="decimal" autoComplete="off" />
                  <span className="affix">/ {line.unit}</span>
                </div>
              )}
            </Field>
          ))}
        {(!byLine || request.bidType === 'lump_sum') && (
          <Field name="amount" label="Total price">
            {(control) => (
              <div className="input money">
                <span className="affix">{symbol}</span>
                <input {...control} inputMode="decimal" autoComplete="off" />
              </div>
            )}
          </Field>
        )}
        <div className="form-row">
          <TextField name="leadTimeDays" label="Lead time in days" type="number" min={0} optional />
          <TextField name="durationDays" label="Duration in days" type="number" min={0} optional />
          <SelectField name="source" label="Received via" options={SOURCES} />
        </div>
        <TextField name="exclusions" label="Exclusions" optional />
      </Form>
    </Dialog>
  )
}
