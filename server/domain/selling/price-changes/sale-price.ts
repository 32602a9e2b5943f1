// A canceled sale keeps its total of options, because the current selections of the home belong to later buyers.
export const toOptionsTotalSql = (sale: string) => `case when ${sale}."homeId" is null or ${sale}."status" = 'cancelled'
  then ${sale}."optionsFixed" else (select coalesce(sum("selected"."difference"), 0) from "selections" as "selected"
    where "selected"."organizationId" = ${sale}."organizationId" and "selected"."homeId" = ${sale}."homeId"
      and "selected"."status" in ('approved', 'ordered', 'installed')) end`

/** Returns the SQL expression for the price of a sale. The parameter is the alias of its row. */
export const toTotalPriceSql = (
  sale: string,
) => `${sale}."basePrice" + ${sale}."lotPremium" + (${toOptionsTotalSql(sale)})
  - ${sale}."incentives" - ${sale}."discounts"`
