import type { ReactNode } from 'react'
import type { Timesheet } from '../../../client/contract.gen.ts'
import { Status } from '../../ui/badge.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The totals of a timesheet, with the buttons for its next steps. */
export function TimesheetHead(props: { timesheet: Timesheet; name: ReactNode; actions: ReactNode }) {
  const { timesheet, name, actions } = props
  const { cents } = useFormats()
  const { totalHours, regularHours, overtimeHours, doubleHours, ptoHours, cost } = timesheet
  return (
    <TitleBlock
      name={name}
      state={
        <>
          <Status of="timesheet" is={timesheet.status} />
          <span className="row push">{actions}</span>
        </>
      }
      facts={[
        { label: 'Total hours', isFigure: true, value: formatQuantity(totalHours) },
        { label: 'Regular', value: formatQuantity(regularHours) },
        { label: 'Overtime', value: formatQuantity(overtimeHours) },
        ...(doubleHours === 0 ? [] : [{ label: 'Double time', value: formatQuantity(doubleHours) }]),
        { label: 'Paid time off', value: formatQuantity(ptoHours), isWideOnly: true },
        ...(cost === null ? [] : [{ label: 'Cost', isFigure: true, value: cents(cost) }]),
      ]}
    />
  )
}
