-- People and what they own.
create table person (
  id integer primary key,
  name text not null default 'it''s; unknown',
  city text
);

create index person_city on person (city);

/* How many there are
   in each city. */
select city, count(*)
from person
where name <> ''
group by city
order by 2 desc;

insert into person (name, city) values
  ('Ada', 'London'),
  ('Grace', 'New York');
