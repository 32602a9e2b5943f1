import { useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { ExecutionOf, SkillInput } from '../../../client/skills.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useSkill } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Form, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent, formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { trimInputPointers } from '../actions/call-action.ts'
import { CostCodeField } from '../actions/cost-code-field.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'
import { AppliesTo } from './applies-to.tsx'

type Input = SkillInput<'raisePrices'>
type Result = ExecutionOf<'raisePrices'>['result']
type ChangedPrice = Result['prices'][number]

/** The page size limit of one request. A builder has fewer communities. */
const MAX_COMMUNITIES = 200

/** The page that changes many prices by a percentage. The new prices are shown before they are applied. */
export function Component() {
  const can = useCan()
  return (
    <Page
      title="Change prices"
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Parts', to: '/catalogue/parts' },
        { name: 'Change prices' },
      ]}
    >
      <div className="page-head">
        <h1>Change prices</h1>
        <p>Enter a price increase of a vendor. You see the new prices before anything changes.</p>
      </div>
      {can('parts:write') && can('skills:write') ? (
        <RaisePrices />
      ) : (
        <EmptyState icon="lock" title="You cannot change prices">
          Ask an administrator for the permission to change parts and to run skills.
        </EmptyState>
      )}
    </Page>
  )
}

function RaisePrices() {
  const navigate = useNavigate()
  const { today, day } = useFormats()
  const [vendorId, setVendorId] = useState('')
  const [costCodeId, setCostCodeId] = useState('')
  const [previewed, setPreviewed] = useState<Input | null>(null)
  const communities = useListPage('/api/ext/communities', { limit: MAX_COMMUNITIES, sort: 'name' })
  const entries = useMemo(
    () => ({
      current: { vendorId, costCodeId },
      isChanged: vendorId !== '' || costCodeId !== '',
      restore(before: { vendorId: string; costCodeId: string }) {
        setVendorId(before.vendorId)
        setCostCodeId(before.costCodeId)
      },
    }),
    [vendorId, costCodeId],
  )
  const preview = plumbline.useMutation('post', '/api/ext/execute', { meta: { changesNothing: true } })
  const result = previewed === null || preview.data === undefined ? null : (preview.data.result as unknown as Result)
  const raise = useSkill('raisePrices', {
    onSuccess: ({ result: { changedCount, effectiveDate } }) => {
      showToast(`${formatCount(changedCount, 'price')} changed from ${day(effectiveDate)}`)
      void navigate('/catalogue/parts')
    },
  })
  const reset = () => {
    setPreviewed(null)
    preview.reset()
    raise.reset()
  }
  const submit = (form: FormData) => {
    if (form.get('apply') !== null && previewed !== null) return raise.run(previewed)
    const communityId = readTextField(form, 'communityId')
    const input = {
      ...(vendorId !== '' && { vendorId }),
      ...(costCodeId !== '' && { costCodeId }),
      ...(communityId !== undefined && { communityId }),
      percent: readNumberField(form, 'percent') ?? 0,
      effectiveDate: readTextField(form, 'effectiveDate') ?? '',
    }
    raise.reset()
    preview.mutate({ body: { skill: 'raisePrices', input, dryRun: true } }, { onSuccess: () => setPreviewed(input) })
  }
  return (
    <Form error={trimInputPointers(raise.error ?? preview.error)} entries={entries} onSubmit={submit}>
      <div className="stack" onChange={() => previewed !== null && reset()}>
        <Panel title="Prices to change">
          <div className="form">
            <div className="form-row">
              <Field name="vendorId" label="Vendor" optional hint="A vendor, a cost code, or both.">
                {(control) => (
                  <RecordChoice
                    control={control}
                    list={{ path: '/api/ext/vendors', searches: true }}
                    value={vendorId === '' ? [] : [vendorId]}
                    isMultiple={false}
                    onChange={([id = '']) => {
                      reset()
                      setVendorId(id)
                    }}
                  />
                )}
              </Field>
              <CostCodeField
                hint="Includes the codes below it."
                value={costCodeId}
                onChange={(id) => {
                  reset()
                  setCostCodeId(id)
                }}
              />
              <SelectField
                name="communityId"
                label="Community"
                optional
                options={[
                  { value: '', label: 'All prices' },
                  ...(communities.data?.data ?? []).map(({ id, name }) => ({
                    value: id,
                    label: `Only prices for ${name}`,
                  })),
                ]}
              />
            </div>
            <div className="form-row">
              <TextField
                name="percent"
                label="Change in percent"
                placeholder="4.5"
                hint="A negative number lowers prices."
              />
              <TextField
                name="effectiveDate"
                label="Valid from"
                type="date"
                defaultValue={today()}
                hint="The current prices end on the day before."
              />
            </div>
            <div className="row">
              <Button
                type="submit"
                look={result === null ? 'primary' : 'plain'}
                busy={preview.isPending}
                disabled={vendorId === '' && costCodeId === ''}
              >
                Preview new prices
              </Button>
            </div>
          </div>
        </Panel>
      </div>
      {result !== null && <Preview result={result} isPending={raise.isPending} />}
    </Form>
  )
}

function Preview({ result, isPending }: { result: Result; isPending: boolean }) {
  const { day } = useFormats()
  const { prices, changedCount, effectiveDate, percent, currency } = result
  const columns: readonly Column<ChangedPrice>[] = [
    { head: 'Part', cell: ({ partId, part }) => <Link to={`/catalogue/parts/${partId}`}>{part}</Link> },
    { head: 'Vendor', cell: ({ vendor }) => vendor },
    {
      head: 'Applies to',
      cell: ({ communityId, planId }) => <AppliesTo communityId={communityId} planId={planId} />,
    },
    { head: 'Minimum quantity', numeric: true, cell: ({ minQuantity }) => formatQuantity(minQuantity) },
    { head: `Until then, ${currency}`, numeric: true, cell: ({ unitPrice }) => formatUnitPrice(unitPrice) },
    {
      head: `New price, ${currency}`,
      numeric: true,
      cell: ({ newUnitPrice }) => <b>{formatUnitPrice(newUnitPrice)}</b>,
    },
  ]
  return (
    <Panel
      title="New prices"
      hint={`${percent > 0 ? '+' : ''}${formatPercent(percent)} from ${day(effectiveDate)}`}
      isFlush
      foot={
        changedCount > 0 && (
          <div className="row wrap">
            <span className="muted">This is a preview. Nothing has been changed yet.</span>
            <Button className="push" look="primary" type="submit" name="apply" value="yes" busy={isPending}>
              Change {formatCount(changedCount, 'price')}
            </Button>
          </div>
        )
      }
    >
      {changedCount === 0 ? (
        <div className="state">
          <Icon name="search" />
          <strong>No price matches</strong>
          <p>
            No price of this vendor or cost code is valid on {day(effectiveDate)}. Prices of contracts do not count.
          </p>
        </div>
      ) : (
        <div className="table-wrap">
          <Table
            caption="New prices"
            columns={columns}
            rows={prices}
            keyOf={({ partId, vendorId, communityId, planId, minQuantity, unitPrice }) =>
              JSON.stringify([partId, vendorId, communityId, planId, minQuantity, unitPrice])
            }
          />
        </div>
      )}
    </Panel>
  )
}
