-- How the scores of the list are distributed, for pages. Written with each epoch. Null with fewer
-- than 20 scores, and for an epoch that was built before.
alter table standing_epoch
  -- The width of a bin in points: 1, 2 or 5 times a power of ten.
  add score_step double precision,
  -- People in 20 bins from 0 on, and in one for the rest.
  add score_bins integer[],
  -- The score that 1 %, 2 %, … 99 % of the scores do not exceed.
  add score_cuts double precision[];
